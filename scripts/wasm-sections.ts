/**
 * A section of a WebAssembly module. This file has just enough of the binary format to split a
 * module and to join it again.
 */
export interface Section {
  readonly id: number;
  readonly content: Uint8Array;
}

export const sectionIds = { import: 2, memory: 5, global: 6, export: 7, data: 11 } as const;

const preamble = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

export function readSections(wasm: Uint8Array): Section[] {
  const sections: Section[] = [];
  const reader = new Reader(wasm.subarray(preamble.length));
  while (!reader.atEnd()) {
    const id = reader.byte();
    sections.push({ id, content: reader.bytes(reader.unsigned()) });
  }
  return sections;
}

export function writeSections(sections: readonly Section[]): Uint8Array {
  const parts = sections.flatMap(({ id, content }) => [
    Uint8Array.from([id, ...unsigned(content.length)]),
    content,
  ]);
  return Buffer.concat([Uint8Array.from(preamble), ...parts]);
}

/** Reads the parts of a section in order. */
export class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new Error("the section ends too early");
    return byte;
  }

  bytes(length: number): Uint8Array {
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return taken;
  }

  /** Reads an unsigned LEB128 number. */
  unsigned(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  /** Skips a signed LEB128 number, whose bytes end like those of an unsigned one. */
  skipNumber(): void {
    while (this.byte() >= 128);
  }
}

export function unsigned(value: number): number[] {
  const low = value % 128;
  const rest = Math.floor(value / 128);
  return rest === 0 ? [low] : [low | 128, ...unsigned(rest)];
}

export function signed(value: bigint): number[] {
  const low = Number(BigInt.asUintN(7, value));
  const rest = value >> 7n;
  const done = (rest === 0n && low < 64) || (rest === -1n && low >= 64);
  return done ? [low] : [low | 128, ...signed(rest)];
}
