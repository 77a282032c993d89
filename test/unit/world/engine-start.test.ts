import { describe, expect, it } from "vitest";
import { engineStart } from "../../../src/world/engine-start.ts";

const all = () => true;
const none = () => false;

describe("the engine starts", () => {
  it.each([
    ["deploy", all],
    ["diff", none],
    ["diff --no-cache", all],
    ["compile --param image=a", all],
    ["diff --param=image=a", all],
    ["diff -p params.yaml --no-cache", all],
  ])("immediately for %s", (line, hits) => {
    expect(engineStart(line.split(" "), hits)).toBe("now");
  });

  it.each([
    ["diff", all],
    ["compile --params params.yaml", all],
    ["diff --namespace no-cache", all],
    ["help", none],
    ["get deployments", none],
  ])("on demand for %s", (line, hits) => {
    expect(engineStart(line.split(" "), hits)).toBe("when asked");
  });
});
