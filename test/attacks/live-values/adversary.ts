import { byBits, byGuesses, type Way } from "./ways.ts";

/** Shows a pull request, and answers with all that its author gets to see. */
export type Ask = (manifests: string) => Promise<string>;

/** What was read of a value, by the ways that told it. */
export type Learned = ReadonlyMap<string, string>;

const alphabet = "abcdefghijklmnop";

/**
 * Looks for a value of so many letters among `abcdefghijklmnop`: bit by bit in every way that tells bits, by what distinguishes
 * a sure yes from a sure no; what is left of the questions goes into whole guesses.
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

/** undefined where yes and no look alike; the questions are asked all the same, since one of them may be answered otherwise. */
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

/** A preview shows the patterns that it is asked by. */
function shapeOf(answer: string): string {
  return answer.replaceAll(/\^[\w.*$[\]]*/g, "PATTERN");
}

function nthGuess(turn: number, letters: number): string {
  const digits = (turn * 7919).toString(16).padStart(letters, "0").slice(-letters);
  return [...digits].map((digit) => alphabet[Number.parseInt(digit, 16)]).join("");
}
