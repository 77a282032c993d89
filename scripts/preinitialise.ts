import {
  Reader,
  readSections,
  type Section,
  sectionIds,
  signed,
  unsigned,
  writeSections,
} from "./wasm-sections.ts";

/**
 * Runs the `_initialize` of a Go module, and writes the resulting memory and globals into the
 * module, so that a start doesn't run it again. Go keeps its whole state there, and no goroutine
 * runs between calls. The memory also gets a maximum, which Go's linker doesn't write. Go reports
 * "out of memory" if the memory can't grow.
 */
export function preinitialise(wasm: Uint8Array, start: Start, maximumPages: number): Uint8Array {
  const sections = readSections(wasm);
  const types = globalTypes(contentOf(sections, sectionIds.global));
  const instance = start(writeSections(withExportedGlobals(sections, types.length)));
  const { memory } = instance.exports as { memory: WebAssembly.Memory };
  const bytes = new Uint8Array(memory.buffer);
  const replacements = new Map<number, Uint8Array>([
    [sectionIds.memory, memorySection(bytes.length / pageSize, maximumPages)],
    [sectionIds.global, globalSection(types, instance.exports)],
    [sectionIds.export, withoutInitialize(contentOf(sections, sectionIds.export))],
    [sectionIds.data, dataSection(bytes)],
  ]);
  return writeSections(
    sections.map(({ id, content }) => ({ id, content: replacements.get(id) ?? content })),
  );
}

/** Instantiates a module and calls its `_initialize`. */
export type Start = (wasm: Uint8Array) => WebAssembly.Instance;

const pageSize = 65_536;
const functionKind = 0;
const globalKind = 3;
const mutable = 1;
const end = 0x0b;
const i32 = 0x7f;
const i64 = 0x7e;
const i32Const = 0x41;
const i64Const = 0x42;
const initializer = "_initialize";

function contentOf(sections: readonly Section[], id: number): Uint8Array {
  const found = sections.find((section) => section.id === id);
  if (found === undefined) throw new Error(`the module has no section ${id}`);
  return found.content;
}

/**
 * Returns the types of the globals. Go makes all of them mutable numbers with a constant initial
 * value.
 */
function globalTypes(content: Uint8Array): number[] {
  const reader = new Reader(content);
  return Array.from({ length: reader.unsigned() }, () => {
    const type = reader.byte();
    const known = (type === i32 || type === i64) && reader.byte() === mutable;
    reader.byte();
    reader.skipNumber();
    if (!known || reader.byte() !== end) throw new Error("a global does not look like Go's");
    return type;
  });
}

function withExportedGlobals(sections: readonly Section[], count: number): Section[] {
  return sections.map((section) => {
    if (section.id !== sectionIds.export) return section;
    const entries = readExports(section.content);
    for (let i = 0; i < count; i++) {
      entries.push({ name: globalName(i), bytes: Uint8Array.from([globalKind, ...unsigned(i)]) });
    }
    return { id: section.id, content: exportSection(entries) };
  });
}

function globalName(index: number): string {
  return `global ${index}`;
}

interface Export {
  readonly name: string;
  /** The kind and the index. */
  readonly bytes: Uint8Array;
}

function readExports(content: Uint8Array): Export[] {
  const reader = new Reader(content);
  return Array.from({ length: reader.unsigned() }, () => {
    const name = Buffer.from(reader.bytes(reader.unsigned())).toString();
    const kind = reader.byte();
    return { name, bytes: Uint8Array.from([kind, ...unsigned(reader.unsigned())]) };
  });
}

function exportSection(entries: readonly Export[]): Uint8Array {
  const parts = entries.flatMap(({ name, bytes }) => [
    Uint8Array.from(unsigned(Buffer.byteLength(name))),
    Buffer.from(name),
    bytes,
  ]);
  return Buffer.concat([Uint8Array.from(unsigned(entries.length)), ...parts]);
}

/** Removes the export of `_initialize`, because a second initialization would break the runtime. */
function withoutInitialize(content: Uint8Array): Uint8Array {
  const remaining = readExports(content).filter(
    ({ name, bytes }) => !(name === initializer && bytes[0] === functionKind),
  );
  return exportSection(remaining);
}

function memorySection(pages: number, maximumPages: number): Uint8Array {
  const withMaximum = 1;
  return Uint8Array.from([1, withMaximum, ...unsigned(pages), ...unsigned(maximumPages)]);
}

function globalSection(types: readonly number[], exports: WebAssembly.Instance["exports"]) {
  const entries = types.flatMap((type, index) => {
    const { value } = exports[globalName(index)] as { value: number | bigint };
    return [type, mutable, type === i32 ? i32Const : i64Const, ...signed(BigInt(value)), end];
  });
  return Uint8Array.from([...unsigned(types.length), ...entries]);
}

/** Returns the memory as segments, without the long runs of zeros between them. */
function dataSection(memory: Uint8Array): Uint8Array {
  const segments = segmentsOf(memory).flatMap(({ from, to }) => [
    Uint8Array.from([0, i32Const, ...signed(BigInt(from)), end, ...unsigned(to - from)]),
    memory.subarray(from, to),
  ]);
  return Buffer.concat([Uint8Array.from(unsigned(segments.length / 2)), ...segments]);
}

/** Shorter runs of zeros are cheaper to store than to omit. */
const shortGap = 256;

function segmentsOf(memory: Uint8Array): { from: number; to: number }[] {
  const segments: { from: number; to: number }[] = [];
  for (let at = 0; at < memory.length; at++) {
    if (memory[at] === 0) continue;
    const last = segments.at(-1);
    if (last !== undefined && at - last.to < shortGap) last.to = at + 1;
    else segments.push({ from: at, to: at + 1 });
  }
  return segments;
}
