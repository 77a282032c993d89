import type { Problem } from "../../model/problems/problem.ts";
import {
  isChartName,
  isExactVersion,
  isOciChart,
  isRepositoryAddress,
  type PlacedChart,
} from "../../model/sources/remote-chart.ts";
import type { YamlText } from "../yaml/shape.ts";

export interface WrittenSource {
  readonly chart: YamlText;
  readonly repo: YamlText | undefined;
  readonly version: YamlText | undefined;
}

/**
 * Reads where the chart of an entry is. Returns `local` for a chart of the repository. Reports an
 * address that isn't allowed, and then returns undefined.
 */
export function parseRemoteChart(
  written: WrittenSource,
  problems: Problem[],
): PlacedChart | "local" | undefined {
  const { chart, repo, version } = written;
  const isOci = chart.value.startsWith("oci://");
  if (!isOci && repo === undefined) return rejectLocal(written, problems) ? undefined : "local";
  const found = [sourceProblem(written), versionProblem(chart, version)];
  const wrong = found.filter((problem) => problem !== undefined);
  problems.push(...wrong);
  if (wrong.length > 0 || version === undefined) return undefined;
  return {
    ...{ chart: chart.value, repository: repo?.value, version: version.value },
    where: chart.where,
  };
}

/** Reports the parts that a chart of the repository can't have. */
function rejectLocal({ chart, version }: WrittenSource, problems: Problem[]): boolean {
  if (/^[a-z+]+:\/\//i.test(chart.value)) {
    problems.push(addressProblem(chart));
    return true;
  }
  if (version === undefined) return false;
  problems.push({
    code: "invalid-chart-source",
    where: [version.where],
    what: '"version" isn\'t allowed for a chart of this repository',
    why: "Its Chart.yaml contains the version",
    fix: `Remove "version"`,
    otherwise: ["add repo for a Helm repository", "write the chart as oci://HOST/PATH/NAME"],
  });
  return true;
}

function addressProblem({ value, where }: YamlText): Problem {
  return {
    code: "invalid-chart-source",
    where: [where],
    what: `Chart "${hideLogin(value)}" isn't a path, and isn't an oci:// address`,
    fix: "Write the name of the chart, and the address of its Helm repository as repo",
    otherwise: ["write oci://HOST/PATH/NAME", "name a chart of this repository"],
  };
}

function sourceProblem({ chart, repo }: WrittenSource): Problem | undefined {
  if (repo === undefined) return isOciChart(chart.value) ? undefined : ociProblem(chart);
  if (chart.value.startsWith("oci://")) {
    return {
      code: "invalid-chart-source",
      where: [repo.where],
      what: `"repo" isn't allowed next to the chart "${hideLogin(chart.value)}"`,
      fix: `Remove "repo"`,
    };
  }
  if (hasLogin(repo.value)) return loginProblem(repo);
  if (!isRepositoryAddress(repo.value)) return repositoryProblem(repo);
  return isChartName(chart.value) ? undefined : nameProblem(chart);
}

function ociProblem(chart: YamlText): Problem {
  if (hasLogin(chart.value)) return loginProblem(chart);
  return {
    code: "invalid-chart-source",
    where: [chart.where],
    what: `"${chart.value}" isn't the address of a chart`,
    fix: "Write it as oci://HOST/PATH/NAME in lower case, without a tag, and set version",
  };
}

function repositoryProblem({ value, where }: YamlText): Problem {
  const isOci = value.startsWith("oci://");
  return {
    code: "invalid-chart-source",
    where: [where],
    what: `"${value}" isn't the address of a Helm repository`,
    fix: isOci
      ? `Remove "repo", and write the chart as ${value.replace(/(?<!\/)\/+$/, "")}/NAME`
      : "Write an https address without a query",
  };
}

function nameProblem({ value, where }: YamlText): Problem {
  return {
    code: "invalid-chart-source",
    where: [where],
    what: `"${value}" isn't the name of a chart`,
    fix: "Write its name in the Helm repository",
    otherwise: [`remove "repo", if the chart is in this repository`],
  };
}

function loginProblem({ value, where }: YamlText): Problem {
  return {
    code: "credentials-in-address",
    where: [where],
    what: `The address ${hideLogin(value)} contains a user name or password`,
    fix: "Remove it: qvs uses the credentials of the Docker config",
  };
}

function versionProblem(chart: YamlText, version: YamlText | undefined): Problem | undefined {
  if (version === undefined) {
    return {
      code: "missing-key",
      where: [chart.where],
      what: `Chart "${hideLogin(chart.value)}" has no version`,
      fix: "Add version with an exact version, such as 6.9.0",
    };
  }
  if (isExactVersion(version.value)) return undefined;
  return {
    code: "invalid-chart-source",
    where: [version.where],
    what: `"${version.value}" isn't an exact version`,
    why: "A range would select another chart without a change of the config",
    fix: "Write a version such as 6.9.0; `qvs outdated` lists newer ones",
  };
}

function hasLogin(address: string): boolean {
  return /^[a-z+]+:.*@/i.test(address);
}

function hideLogin(address: string): string {
  const colon = address.indexOf(":");
  const at = address.lastIndexOf("@");
  return at > colon && colon >= 0
    ? `${address.slice(0, colon)}://${address.slice(at + 1)}`
    : address;
}
