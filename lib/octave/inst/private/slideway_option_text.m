## The options as text of slideway: "rtol=1e-8 method=bdf".
function text = __slideway_option_text__ (options)
  words = {};
  for [value, name] = options
    if (islogical (value))
      value = {"false", "true"}{value + 1};
    elseif (isnumeric (value))
      value = strjoin (arrayfun (@(number) sprintf ("%.17g", number), value(:).', "UniformOutput", false), ",");
    elseif (iscellstr (value))
      value = strjoin (value, ",");
    endif
    words{end + 1} = [name, "=", value];
  endfor
  text = strjoin (words, " ");
endfunction
