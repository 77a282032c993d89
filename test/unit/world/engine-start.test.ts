import { describe, expect, it } from "vitest";
import { engineStart } from "../../../src/world/engine-start.ts";

const all = () => true;
const none = () => false;
const adapters = () => true;

describe("the engine starts", () => {
  it.each([
    ["deploy", all],
    ["diff", none],
    ["diff --no-cache", all],
    ["compile --param image=a", all],
    ["diff --param=image=a", all],
    ["diff -p params.yaml --no-cache", all],
  ])("immediately for %s", (line, hits) => {
    expect(engineStart(line.split(" "), hits, adapters)).toBe("now");
    expect(engineStart(line.split(" "), hits, none)).toBe("without engine");
  });

  it.each([
    ["diff", all],
    ["compile --params params.yaml", all],
    ["diff --namespace no-cache", all],
    ["help", none],
    ["get deployments", none],
    ["--version", none],
    ["deploy --help", none],
    ["", none],
  ])("on demand for %s", (line, hits) => {
    const words = line.split(" ").filter(Boolean);
    expect(engineStart(words, hits, adapters)).toBe("when asked");
    expect(engineStart(words, hits, none)).toBe("when asked");
  });
});
