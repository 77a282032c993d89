import { existsSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeModule } from "../../../src/commands/describe.ts";
import { openWorkTree } from "../../../src/io/git/work-tree.ts";
import type { World } from "../../../src/ports/world.ts";
import { displayWidth } from "../../../src/redaction/wrap.ts";
import { parameterTables } from "../../../src/report/describe/parameter-rows.ts";
import { renderDescription } from "../../../src/report/describe/render-description.ts";
import {
  type ModuleDescription,
  moduleSchemas,
  renderModule,
} from "../../../src/report/describe/render-module.ts";
import { startCompiler } from "../../support/cue/native.ts";

const corpus = join(process.env["QVS_CORPUS"] ?? "", "official-cloud-native-adapters");
const available = process.env["QVS_CORPUS"] !== undefined && existsSync(corpus);

describe.skipIf(!available)("the adapters of the official corpus", () => {
  const compiler = startCompiler();
  afterAll(() => compiler.close());
  let described: ModuleDescription;
  beforeAll(async () => {
    const source = { tree: openWorkTree(corpus), compiler };
    const search = { config: undefined, deployment: undefined, folder: "" };
    // Only the files and the engine are needed.
    described = await describeModule(
      { source, repositoryName: "official" } as World,
      search,
      undefined,
    );
  });

  it("are all described", () => {
    const { module, adapters, failures } = described;
    const pipelines = adapters.filter((adapter) => adapter.pipelinesOnly);
    expect([module, adapters.length, pipelines.length, failures]).toEqual([
      "qmonus.net/adapter/official",
      72,
      27,
      [],
    ]);
  });

  it("contain their parameters, defaults and definitions", () => {
    const pattern = "qmonus.net/adapter/official/adapters/gcp/container/cloudrun/fullStack";
    const found = described.adapters.find((adapter) => adapter.pattern === pattern);
    const rows = found === undefined ? [] : parameterTables(found.parameters)[0]?.rows;
    const parameterFacts = rows?.map((row) => [
      row.path,
      row.type,
      row.presence,
      row.default ?? row.computed,
    ]);
    expect(parameterFacts).toEqual(
      expect.arrayContaining([
        ["appName", "string", "required", undefined],
        ["secrets", "[string]: secret", "default", {}],
        ["mysqlAvailabilityType", '"ZONAL" | "REGIONAL"', "default", "ZONAL"],
        ["mysqlDatabaseVersion", 'strings.HasPrefix("MYSQL_")', "default", "MYSQL_8_0"],
        ["dnsARecordSubdomain", 'strings.HasSuffix(".")', "required", undefined],
        ["dnsZoneProjectId", "string", "computed", "parameters.gcpProjectId"],
      ]),
    );
    expect(parameterFacts).toHaveLength(19);
  });

  it("have schemas that are valid JSON Schemas of draft 2020-12", () => {
    const ajv = new Ajv2020({ allErrors: true });
    const schemas = Object.values(moduleSchemas(described));
    const invalid = schemas.filter((schema) => ajv.validateSchema(schema as object) !== true);
    expect([schemas.length, invalid]).toEqual([72, []]);
  });

  it.each([40, 80, 120])("fit into a terminal of %i columns", (width) => {
    const text = [
      renderModule(described, width),
      ...described.adapters.map((adapter) => renderDescription(adapter, width)),
    ].join("\n");
    expect(text.split("\n").filter((line) => displayWidth(line) > width)).toEqual([]);
  });
});
