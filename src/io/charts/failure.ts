import type { UnplacedProblem } from "../../model/problems/problem.ts";

/** The reason why a chart can't be fetched. */
export interface FetchFailure {
  readonly failure:
    | "denied"
    | "invalid"
    | "login-withheld"
    | "missing"
    | "not-allowed"
    | "status"
    | "timeout"
    | "too-large"
    | "unreachable";
  /** The host that failed. */
  readonly host: string;
  /** A sentence of qvs, or the error of the system. It never contains the text of an answer. */
  readonly detail?: string;
  readonly fix?: string;
}

export function isFailure(value: object): value is FetchFailure {
  return "failure" in value;
}

/** Explains a failure. `title` is the chart and its version as the config writes them. */
export function explainFailure(title: string, failure: FetchFailure): UnplacedProblem {
  const { host, detail, fix } = failure;
  const kind = kinds[failure.failure];
  return {
    code: kind.code,
    what: `${title} ${kind.what}`,
    facts: [{ label: "host", value: host }],
    ...(detail === undefined ? {} : { why: detail }),
    fix: fix ?? kind.fix,
    ...(kind.otherwise === undefined ? {} : { otherwise: kind.otherwise }),
  };
}

interface Kind extends Pick<UnplacedProblem, "code" | "fix" | "otherwise"> {
  readonly what: string;
}

const cannotFetch = "can't be fetched";

const kinds: Readonly<Record<FetchFailure["failure"], Kind>> = {
  denied: {
    code: "chart-access-denied",
    what: "is denied",
    fix: "Check the address of the chart",
    otherwise: ["log in with docker login, which writes the Docker config"],
  },
  invalid: {
    code: "chart-not-fetched",
    what: cannotFetch,
    fix: "Use the address of a registry or a Helm repository",
  },
  "login-withheld": {
    code: "chart-access-denied",
    what: "needs a login, which this preview doesn't use",
    fix: "Merge its entry in qvs.lock first",
    otherwise: ["preview on the command line"],
  },
  missing: {
    code: "chart-not-found",
    what: "doesn't exist",
    fix: "Check the address and the version",
    otherwise: ["log in with docker login, if the chart is private"],
  },
  "not-allowed": {
    code: "chart-not-fetched",
    what: cannotFetch,
    fix: "Use the https address of a registry",
  },
  status: {
    code: "chart-not-fetched",
    what: cannotFetch,
    fix: "Run again when the host has no problem",
  },
  timeout: {
    code: "chart-not-fetched",
    what: cannotFetch,
    fix: "Check the network connection and run again",
  },
  "too-large": {
    code: "input-too-large",
    what: "is too large",
    fix: "Use a smaller chart or repository",
  },
  unreachable: {
    code: "chart-not-fetched",
    what: cannotFetch,
    fix: "Check the network and the address, and run again",
  },
};
