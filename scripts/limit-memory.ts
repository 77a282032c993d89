/**
 * Gives a WebAssembly module's memory a maximum. Go's linker writes none, and a limit in the module holds in every
 * host: Go reports "out of memory" when the memory cannot grow.
 */
export function limitMemory(wasm: Uint8Array, maximumPages: number): Uint8Array {
  const section = findSection(wasm, memorySection);
  const { value: count, next: flagsAt } = readLeb(wasm, section.start);
  const { value: minimum, next: end } = readLeb(wasm, flagsAt + 1);
  if (count !== 1 || wasm[flagsAt] !== withoutMaximum || end !== section.end) {
    throw new Error("the module's memory section does not look like Go's");
  }
  const body = [1, withMaximum, ...leb(minimum), ...leb(maximumPages)];
  const replaced = Uint8Array.from([memorySection, ...leb(body.length), ...body]);
  return Buffer.concat([wasm.subarray(0, section.header), replaced, wasm.subarray(section.end)]);
}

const memorySection = 5;
const withoutMaximum = 0;
const withMaximum = 1;
const headerLength = 8;

interface Section {
  /** Offsets: of the section's number, of its content, behind it. */
  readonly header: number;
  readonly start: number;
  readonly end: number;
}

function findSection(wasm: Uint8Array, wanted: number): Section {
  let header = headerLength;
  while (header < wasm.length) {
    const { value: length, next: start } = readLeb(wasm, header + 1);
    if (wasm[header] === wanted) return { header, start, end: start + length };
    header = start + length;
  }
  throw new Error(`the module has no section ${wanted}`);
}

function readLeb(bytes: Uint8Array, at: number): { readonly value: number; readonly next: number } {
  let value = 0;
  let shift = 0;
  for (let i = at; ; i++) {
    const byte = bytes[i] ?? 0;
    value += (byte & 127) * 2 ** shift;
    shift += 7;
    if (byte < 128) return { value, next: i + 1 };
  }
}

function leb(value: number): number[] {
  const low = value & 127;
  const rest = Math.floor(value / 128);
  return rest === 0 ? [low] : [low | 128, ...leb(rest)];
}
