/** Lets somebody keep a file. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // What was begun goes on without the address.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
