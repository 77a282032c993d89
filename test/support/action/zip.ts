import { crc32, deflateRawSync } from "node:zlib";

/** An entry of a zip archive. Its metadata can be false. */
export interface ZipEntry {
  readonly name: string | Buffer;
  readonly content: string | Buffer;
  /** The Unix mode, such as 0o120777 for a link. */
  readonly mode?: number;
  /** The unpacked size in the metadata. Default: the real size. */
  readonly claimed?: number;
  readonly isEncrypted?: boolean;
}

/** Returns an archive in the format of actions/upload-artifact, with these entries. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { name, content, mode = 0o100_644 } = entry;
    const [nameBytes, bytes] = [Buffer.from(name), Buffer.from(content)];
    const packed = deflateRawSync(bytes, { level: 1 });
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE((entry.isEncrypted ? 1 : 0) | 0x800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(entry.claimed ?? bytes.length, 18);
    common.writeUInt16LE(nameBytes.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common, nameBytes, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    const madeBy = Buffer.from([20, 3]);
    central.push(
      Buffer.concat([Buffer.from("PK\x01\x02", "latin1"), madeBy, common, rest, nameBytes]),
    );
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from("PK\x05\x06", "latin1"), end]);
}
