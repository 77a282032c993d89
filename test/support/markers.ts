import { expect } from "vitest";
import { fc } from "./fast-check.ts";

/** A secret value that no output contains by chance, whole or in part. */
export const marker: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."QXZJKVWY"), minLength: 8, maxLength: 80 }),
  fc.string({ unit: fc.constantFrom(..."3456789"), minLength: 9, maxLength: 12 }),
  // Characters that quoting and escaping change.
  fc
    .string({ unit: fc.constantFrom(..."QXZJKVWY"), minLength: 6, maxLength: 20 })
    .chain((text) =>
      fc.constantFrom(' and "', "\n", '"', "} got {", ": ", "`|`").map((odd) => text + odd + text),
    ),
);

/**
 * A shorter piece reveals too little. From a piece of this length, an attacker can guess the rest.
 */
const piece = 6;

export function expectNone(markers: readonly string[], output: string): void {
  const forms = markers.flatMap((text) => [text, base64(text)]);
  const pieces = forms.flatMap((form) =>
    Array.from({ length: Math.max(0, form.length - piece + 1) }, (_, i) =>
      form.slice(i, i + piece),
    ),
  );
  const found = [...new Set(pieces)].filter((each) => output.includes(each));
  expect(found).toEqual([]);
}

export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
