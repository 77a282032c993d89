/** Factors of the suffixes of a Kubernetes quantity, e.g. `500m`, `1.5Gi`, `2e3`. */
const factors: ReadonlyMap<string, number> = new Map([
  ["n", 1e-9],
  ["u", 1e-6],
  ["m", 1e-3],
  ["", 1],
  ["k", 1e3],
  ["M", 1e6],
  ["G", 1e9],
  ["T", 1e12],
  ["P", 1e15],
  ["E", 1e18],
  ["Ki", 2 ** 10],
  ["Mi", 2 ** 20],
  ["Gi", 2 ** 30],
  ["Ti", 2 ** 40],
  ["Pi", 2 ** 50],
  ["Ei", 2 ** 60],
]);

/** A quantity in its base unit: cores, bytes, pieces. undefined for what is none, which no API server stores. */
export function parseQuantity(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  const [, number = "", suffix = ""] =
    /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([a-zA-Z]*)$/.exec(value) ?? [];
  const factor = factors.get(suffix);
  return number === "" || factor === undefined ? undefined : Number(number) * factor;
}
