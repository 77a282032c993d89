import { md } from "../../redaction/markdown.ts";
import {
  inlineCode,
  type Phrase,
  phraseToMarkdown,
  placeLink,
  say,
} from "../../redaction/phrase.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import type { DeploymentReview } from "../review/review.ts";
import { imageText, notableChanges } from "../rows/notable-changes.ts";
import type { ChangedArgument } from "../trace/changed-arguments.ts";
import { shortPattern } from "../trace/trace.ts";
import type { RenderOptions } from "./deployment-section.ts";

/** The diffs are more useful than a list of more parameters. */
const maxParameters = 20;

/** The changed parameters of one adapter. */
interface DescribedParameters {
  readonly head: Phrase;
  readonly place: Phrase;
  readonly changes: readonly Phrase[];
}

export function renderParameters(section: DeploymentReview, { show }: RenderOptions): Markdown {
  const described = describeParameters(withoutRepeatedParameters(section));
  const total = described.flatMap(({ changes }) => changes).length;
  const lists = described.map(({ head, place, changes }) => {
    const items = changes.map((each) => phraseToMarkdown(each, show));
    if (total > fewParameters) {
      return joined(
        [phraseToMarkdown(say`${head}:`, show), ...items.map((each) => md`- ${each}`)],
        "\n",
      );
    }
    const source = phraseToMarkdown(place, show);
    return joined(
      items.map((each) => md`- ${each} (${source})`),
      "\n",
    );
  });
  return joined(lists, total > fewParameters ? "\n\n" : "\n");
}

/** Leaves out a changed image or number of replicas that is shown above with its objects. */
export function withoutRepeatedParameters(section: DeploymentReview): DeploymentReview {
  const facts = new Set(notableChanges(section.rows).map(({ text }) => text));
  const isTold = ({ path, before = "", after = "" }: ChangedArgument) =>
    facts.has(`${path}: ${before} → ${after}`) || facts.has(imageText(before, after));
  const parameters = section.parameters.flatMap((given) => {
    const changes = given.changes.filter((each) => !isTold(each));
    return changes.length === 0 ? [] : [{ ...given, changes }];
  });
  return { ...section, parameters };
}

/** Up to this many changes are items of one list, each with its line. */
const fewParameters = 5;

export function describeParameters({
  parameters,
  config,
}: DeploymentReview): readonly DescribedParameters[] {
  return parameters.map(({ pattern, line, changes }) => {
    const place = placeLink({ file: config, line }, say`line ${line}`);
    const rest = changes.length - maxParameters;
    const more = rest > 0 ? [say`and ${rest} more`] : [];
    const head = say`Parameters of ${inlineCode(shortPattern(pattern))} (${place})`;
    return {
      head,
      place,
      changes: [...changes.slice(0, maxParameters).map(describeValue), ...more],
    };
  });
}

function describeValue({ path, before, after }: ChangedArgument): Phrase {
  if (before === undefined && after === undefined) return say`${inlineCode(path)} changed`;
  if (before === undefined) return say`${inlineCode(path)} added: ${inlineCode(after ?? "")}`;
  if (after === undefined) return say`${inlineCode(path)} removed`;
  return say`${inlineCode(path)}: ${inlineCode(before)} → ${inlineCode(after)}`;
}
