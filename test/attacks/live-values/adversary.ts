import { byBits, byGuesses, type Way } from "./ways.ts";

/** Opens a pull request. Returns everything that its author can see. */
export type Ask = (manifests: string) => Promise<string>;

/** The learned values, by the way that revealed them. */
export type Learned = ReadonlyMap<string, string>;

const alphabet = "abcdefghijklmnop";

/**
 * Searches for a value with this number of letters from `abcdefghijklmnop`. First it reads one bit
 * after another, in every way that reveals bits. It recognizes an answer by the difference between
 * a certain yes and a certain no. Then it spends the remaining questions on guesses.
 */
export async function attack(ask: Ask, letters: number, questions: number): Promise<Learned> {
  let left = questions;
  const limited: Ask = (manifests) => {
    left -= 1;
    return ask(manifests);
  };
  const learned = new Map<string, string>();
  for (const way of byBits) {
    const value = await readBits(way, letters, limited);
    if (value !== undefined) learned.set(way.name, value);
  }
  for (let turn = 0; left > 0; turn += 1) {
    const way = byGuesses[turn % byGuesses.length] as Way;
    await limited(way.ask({ pattern: ".", guess: nthGuess(turn, letters) }));
  }
  return learned;
}

/**
 * Returns the value that the answers reveal. Undefined if yes and no look equal. It still asks all
 * questions, because one of them might be answered differently.
 */
async function readBits(way: Way, letters: number, ask: Ask): Promise<string | undefined> {
  const about = (pattern: string) => ask(way.ask({ pattern, guess: "" }));
  const [yes, no] = [shapeOf(await about("^.*$")), shapeOf(await about("^$"))];
  let known = "";
  while (known.length < letters) {
    let among = alphabet;
    while (among.length > 1) {
      const [first, second] = [among.slice(0, among.length / 2), among.slice(among.length / 2)];
      among = shapeOf(await about(`^${known}[${first}]`)) === yes ? first : second;
    }
    known += among;
  }
  return yes === no ? undefined : known;
}

/** Removes the attacker's own patterns, which a preview shows. */
function shapeOf(answer: string): string {
  return answer.replaceAll(/\^[\w.*$[\]]*/g, "PATTERN");
}

function nthGuess(turn: number, letters: number): string {
  const digits = (turn * 7919).toString(16).padStart(letters, "0").slice(-letters);
  return [...digits].map((digit) => alphabet[Number.parseInt(digit, 16)]).join("");
}
