/**
 * Returns a function that makes a value on its first call and keeps it. It suits constants that
 * take long to make and that most runs don't need.
 */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
