import { gzipSync } from "node:zlib";

/** Returns a packed chart with these files. */
export function packedChart(name: string, files: Readonly<Record<string, string>>): Buffer {
  return archive(Object.entries(files).map(([path, text]) => [`${name}/${path}`, text]));
}

/** Returns a packed archive with these entries. */
export function archive(entries: readonly (readonly [name: string, text: string])[]): Buffer {
  return gzipSync(Buffer.concat([...entries.map(tarEntry), Buffer.alloc(1024)]));
}

/** https://www.gnu.org/software/tar/manual/html_node/Standard.html */
function tarEntry([name, text]: readonly [string, string]): Buffer {
  const content = Buffer.from(text);
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write("0ustar\x0000", 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}
