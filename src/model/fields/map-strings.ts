/** Returns a copy of plain data with every string value changed. Field names stay the same. */
export function mapStrings<T>(value: T, change: (text: string) => string): T {
  if (typeof value === "string") return change(value) as T;
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change)) as T;
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, item]) => [name, mapStrings(item, change)]);
  return Object.fromEntries(fields) as T;
}
