/**
 * The file of a resource below its stage's folder. Ids are the adapter author's text: none may lead out of the folder or
 * hide, and no two may share a file, nor may one's file be another's folder. So whatever is not plain is written as in
 * addresses, `%20` for a space.
 */
export function manifestPath(id: string): string {
  const names = id.split("/").map(plainName);
  const folders = names.slice(0, -1).map((name) => name.replace(/\.(?=yaml$)/i, "%2E"));
  return `${[...folders, names.at(-1)].join("/")}.yaml`;
}

function plainName(name: string): string {
  if (name === "") return "%";
  return name.replace(/[^\w.-]/gu, percent).replace(/^\./, "%2E");
}

function percent(sign: string): string {
  const bytes = [...new TextEncoder().encode(sign)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}
