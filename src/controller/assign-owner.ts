/** Returns hex digits of a fixed length, so that strings compare like numbers. */
type Hash = (text: string) => string;

/**
 * Returns the member that owns an item: the one with the highest hash of both names (rendezvous
 * hashing).
 * All replicas with the same members get the same result. If a member leaves, only its items move.
 * Returns undefined without members.
 */
export function assignOwner(
  item: string,
  members: Iterable<string>,
  hash: Hash,
): string | undefined {
  let best: { readonly member: string; readonly score: string } | undefined;
  for (const member of [...members].toSorted()) {
    const score = hash(`${member}\n${item}`);
    if (best === undefined || score > best.score) best = { member, score };
  }
  return best?.member;
}
