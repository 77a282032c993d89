import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { whileListening } from "../../../src/model/abort-signals.ts";

test("a signal that has already aborted is reported", async () => {
  const heard: string[] = [];
  await whileListening([[AbortSignal.abort(), () => heard.push("stop")]], async () => {
    heard.push("work");
  });
  expect(heard).toEqual(["stop", "work"]);
});

test("no listener remains after failed work", async () => {
  const { signal } = new AbortController();
  const work = async () => {
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    throw new Error("no");
  };
  await expect(whileListening([[signal, () => {}]], work)).rejects.toThrow("no");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
