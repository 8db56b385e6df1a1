% The options as text of slideway: 'rtol=1e-8 method=bdf'.
function text = slideway_option_text (options)
  names = fieldnames (options);
  words = cell (1, numel (names));
  for k = 1:numel (names)
    value = options.(names{k});
    if (islogical (value) && value)
      value = 'true';
    elseif (islogical (value))
      value = 'false';
    elseif (isnumeric (value))
      numbers = sprintf (',%.17g', value);
      value = numbers(2:end);
    elseif (iscell (value))
      value = strjoin (value, ',');
    end
    words{k} = [names{k}, '=', value];
  end
  text = strjoin (words, ' ');
end
