import { fieldOf, type Json } from "../json.ts";

const binary: readonly string[] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimal: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
};

/**
 * Parses a quantity as resource.Quantity of apimachinery does: `250m` → 0.25, `1Gi` → 1073741824.
 * Returns undefined for an invalid quantity.
 */
export function parseQuantity(value: Json | undefined): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  const [, number = "", suffix = ""] =
    /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)([A-Za-z]*)$/.exec(value.trim()) ?? [];
  const power = binary.indexOf(suffix);
  const factor = power < 0 ? fieldOf(decimal, suffix) : 1024 ** (power + 1);
  return number === "" || factor === undefined ? undefined : Number(number) * factor;
}

/**
 * Formats a quantity in the unit that a quota uses.
 * CPU is in millicores if it isn't an integer. Memory is in binary units if the result is exact.
 */
export function formatQuantity(value: number, resource: string): string {
  const isCpu = /(^|\.)cpu$/.test(resource);
  const rounded = Math.round(value * 1000) / 1000;
  if (isCpu && !Number.isInteger(rounded)) return `${Math.round(rounded * 1000)}m`;
  if (/(memory|storage|hugepages)/.test(resource)) {
    for (const [power, unit] of [...binary.entries()].toReversed()) {
      const size = 1024 ** (power + 1);
      if (rounded >= size && (rounded / (size / 1024)) % 1 === 0) {
        return rounded % size === 0
          ? `${rounded / size}${unit}`
          : `${(rounded / size) * 1024}${binary[power - 1] ?? ""}`;
      }
    }
  }
  return String(rounded);
}
