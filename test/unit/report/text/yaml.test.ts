import { expect, test } from "vitest";
import { parse } from "yaml";
import { toUnsortedYaml, toYaml } from "../../../../src/report/text/yaml.ts";

test.for([" \n", "\n", "\n \n", "  \n\n", " \n\t\n", " a\n", "a\n \n", "\ta\n", " "])(
  "%j is read as written",
  (text) => {
    const value = { list: [{ image: text }] };
    expect(parse(toYaml(value))).toEqual(value);
    expect(parse(toUnsortedYaml(value))).toEqual(value);
  },
);

test.for(["a\u0085b", "\u0085", "a: b\u2028\n- c", "\u2029 # c", "x\u007f", "\ufeffx", "a\u009f"])(
  "%j is escaped, because YAML 1.1 would break the line or reject it",
  (text) => {
    const value = { list: [{ [text]: text }] };
    for (const yaml of [toYaml(value), toUnsortedYaml(value)]) {
      expect(yaml).not.toMatch(/[\u007f-\u009f\u2028\u2029\ufeff]/);
      expect(parse(yaml)).toEqual(value);
      expect(parse(yaml, { version: "1.1" })).toEqual(value);
    }
  },
);
