import type { KubeObject } from "../../../src/model/object.ts";
import type { Edit } from "../../accuracy/real/edits.ts";
import type { Command } from "../../accuracy/real/perform.ts";
import { fc } from "../../support/fast-check.ts";
import { editOf, ownDraw, priorDraw } from "./random-edits.ts";
import { othersCommands, othersDraw } from "./random-others.ts";
import { type Surroundings, surroundingsDraw } from "./random-surroundings.ts";

/** A deployment of arbitrary manifests, with random changes. */
export interface RandomDeployment extends Surroundings {
  readonly edits: readonly Edit[];
  /** Edits of the initial objects. */
  readonly prior: readonly Edit[];
  /** Returns commands of other users before the changes. */
  readonly disturb: (objects: readonly KubeObject[]) => readonly Command[];
  /** Commands after a success. */
  readonly afterwards: readonly (readonly string[])[];
  readonly made: string[];
}

const ends: readonly RandomDeployment["afterwards"][] = [
  [],
  [["rollback", "--to", "1"]],
  [["rollback", "--to", "1", "--conflicts=force"]],
  [["delete", "--yes"]],
  [["delete", "--yes", "--delete-kept"]],
  [
    ["rollback", "--to", "previous"],
    ["delete", "--yes"],
  ],
];

/** Returns random deployments. The same seed returns the same ones. */
export function randomDeployments(seed: number, count: number): readonly RandomDeployment[] {
  const several = fc.record({
    first: fc.array(priorDraw, { maxLength: 3 }),
    own: fc.array(ownDraw, { minLength: 2, maxLength: 6 }),
    others: fc.array(othersDraw, { maxLength: 4 }),
    surroundings: surroundingsDraw,
    afterwards: fc.constantFrom(...ends),
  });
  return fc
    .sample(several, { seed, numRuns: count })
    .map(({ first, own, others, surroundings, afterwards }) => {
      const { maker, rules, areLate, flags } = surroundings;
      const made: string[] = [
        `made by ${maker?.join(" ") ?? "qvs"}; rules ${rules} ${areLate ? "late" : ""}; ${flags}; then ${afterwards.join(", ")}`,
      ];
      const prior = first.map((draw) => editOf(draw, made));
      const edits = own.map((draw) => editOf(draw, made));
      const disturb: RandomDeployment["disturb"] = (objects) =>
        others.flatMap((draw) => othersCommands(draw, objects, made));
      return { ...surroundings, made, prior, edits, disturb, afterwards };
    });
}
