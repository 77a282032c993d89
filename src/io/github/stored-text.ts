/**
 * Reports whether two texts are the same, except for line endings and whitespace at the end. GitHub
 * sometimes stores CRLF line endings and drops the last one.
 */
export function isSameText(one: string, other: string): boolean {
  return normalized(one) === normalized(other);
}

function normalized(text: string): string {
  return text.replaceAll("\r\n", "\n").trimEnd();
}
