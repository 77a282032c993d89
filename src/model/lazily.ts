/** What is made when it is first asked for, and once: for constants that take long to make and that most runs never need. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
