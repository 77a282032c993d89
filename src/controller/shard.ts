/** Hexadecimal digits of one length, so that texts compare as numbers do. */
type Hash = (text: string) => string;

/**
 * Which of the members works on an item: the one with the highest hash of both names (rendezvous hashing). All who know the same
 * members decide the same, and when one leaves, only its own items move. undefined without members.
 */
export function ownerOf(item: string, members: Iterable<string>, hash: Hash): string | undefined {
  let best: { readonly member: string; readonly score: string } | undefined;
  for (const member of [...members].toSorted()) {
    const score = hash(`${member}\n${item}`);
    if (best === undefined || score > best.score) best = { member, score };
  }
  return best?.member;
}
