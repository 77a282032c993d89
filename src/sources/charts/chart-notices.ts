import type { ParsedChart } from "../../config/inputs/parsed-input.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { RenderedChart, RenderedHook, RenderNotice } from "../../ports/render.ts";
import type { PlaceOf } from "./chart-problems.ts";
import { deletionEvent } from "./deletion-hooks.ts";
import { hookPhase, isUpgradeOnly, replacedHooks } from "./hooks.ts";

interface NoticeContext {
  /** Hides values from the command line. */
  hide(text: string): string;
  /** The namespace of the release. */
  readonly namespace: string;
}

/** Returns the notices about a rendered chart. */
export function chartNotices(
  chart: RenderedChart,
  entry: ParsedChart,
  placeOf: PlaceOf,
  { hide, namespace }: NoticeContext,
): readonly Problem[] {
  const replaced = replacedHooks(chart, namespace);
  return [
    ...chart.notices.map((notice) =>
      renderNotice({ ...notice, message: hide(notice.message) }, entry, placeOf),
    ),
    ...chart.hooks.flatMap((hook) => {
      const shown = { ...hook, name: hide(hook.name) };
      return replaced.includes(hook)
        ? [replacedNotice(shown, placeOf)]
        : hookNotices(shown, placeOf);
    }),
  ];
}

function renderNotice(
  { code, message, at }: RenderNotice,
  { written, where }: ParsedChart,
  placeOf: PlaceOf,
): Problem {
  const places = [...(at === undefined ? [] : [placeOf(at)]), where];
  if (code === "lookup") return { ...lookupNotice, where: places, why: message };
  return {
    code: "render-warning",
    where: places,
    what: `Helm warns about chart "${written}"`,
    why: message,
    fix: noticeFixes[code],
  };
}

const lookupNotice = {
  code: "lookup-empty",
  what: "The chart looks up an object of the cluster, and finds none",
  fix: "Set the value that the chart would look up, for example the name of an existing Secret",
} as const;

const noticeFixes: Readonly<Record<Exclude<RenderNotice["code"], "lookup">, string>> = {
  "null-value": "Write the value to keep, or remove the null",
  dns: "Set the address in the values",
  "unknown-hook": "Correct the annotation helm.sh/hook",
  warning: "Correct the chart as the message shows",
};

function replacedNotice({ kind, name, template, events }: RenderedHook, placeOf: PlaceOf): Problem {
  return {
    code: "hook-left-out",
    where: [placeOf({ file: template })],
    what: `Hook ${kind} ${name} is left out`,
    facts: [{ label: "events", value: events.join(", ") }],
    why: "The chart has another object of this name, and qvs deploys that one at upgrades too",
    fix: "Give the hook another name to deploy both",
  };
}

/** Returns the notice about a hook that runs at other times than in Helm. */
function hookNotices(hook: RenderedHook, placeOf: PlaceOf): readonly Problem[] {
  const { kind, name, template, events } = hook;
  const where = [placeOf({ file: template })];
  const listed = { label: "events", value: events.join(", ") };
  const phase = hookPhase(hook);
  const isTest = events.every((event) => event === "test");
  const onDeletion = deletionEvent(hook);
  const leftOut = events.filter(
    (event) => event.endsWith("-rollback") || (event.endsWith("-delete") && event !== onDeletion),
  );
  const both = events.some(isEarly) && events.some(isLate);
  // Other kinds, such as the ServiceAccount of a Job, don't run.
  if (isTest || !["Job", "Pod"].includes(kind)) return [];
  // Another notice has the reason why no deletion runs it.
  if (kind === "Pod" && onDeletion !== undefined) return [];
  if (phase === "never" && onDeletion === undefined) {
    return [
      {
        code: "hook-left-out",
        where,
        what: `Hook ${kind} ${name} never runs`,
        facts: [listed],
        why: "qvs runs no hooks of rollbacks",
        fix: "Run its work manually when you roll back",
      },
    ];
  }
  const differences = [
    ...(both ? [`qvs runs it ${phase} the other objects in each deployment`] : []),
    ...(phase !== "never" && isUpgradeOnly(hook)
      ? ["qvs runs it in the first deployment too"]
      : []),
    ...(leftOut.length > 0 ? [`qvs doesn't run it at ${leftOut.join(", ")}`] : []),
  ];
  return [
    ...(kind === "Pod" ? [podNotice(hook, where)] : []),
    ...differences.map((why) => ({
      code: "hook-left-out" as const,
      where,
      what: `Hook ${kind} ${name} runs at other times than with Helm`,
      facts: [listed],
      why,
      fix: "Change the events of the hook, or check that these times are right",
    })),
  ];
}

/** Returns the notice about a Pod. Helm waits until it has ended. */
function podNotice({ name }: RenderedHook, where: Problem["where"]): Problem {
  return {
    code: "hook-left-out",
    where,
    what: `Hook Pod ${name} runs differently than with Helm`,
    why: "qvs runs it once and doesn't wait for its end",
    fix: "Make it a Job",
  };
}

function isEarly(event: string): boolean {
  return event === "pre-install" || event === "pre-upgrade";
}

function isLate(event: string): boolean {
  return event === "post-install" || event === "post-upgrade";
}
