// Files from the page. They are made here, without a network.
export function save(name, type, text) {
  const link = document.createElement('a');
  const address = URL.createObjectURL(new Blob([text], { type }));
  link.download = name.replace(/[^A-Za-z0-9._-]+/g, '_').replace(/^[._]+/, '') || 'run';
  link.href = address;
  document.body.append(link);
  link.click();
  link.remove();
  // A browser may begin to read later.
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}
