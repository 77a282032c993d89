import { expect, test } from "vitest";
import { parse } from "yaml";
import { toYaml, toYamlAsGiven } from "../../../src/report/text/yaml.ts";

test.for([" \n", "\n", "\n \n", "  \n\n", " \n\t\n", " a\n", "a\n \n", "\ta\n", " "])(
  "%j is read as it was written",
  (text) => {
    const value = { list: [{ image: text }] };
    expect(parse(toYaml(value))).toEqual(value);
    expect(parse(toYamlAsGiven(value))).toEqual(value);
  },
);
