import { Help, type Option } from "commander";

/**
 * Returns the description of a flag for the help. The default stands last, also if commander
 * doesn't know it because a missing flag has a meaning of its own.
 */
export function describeOption(option: Option): string {
  return new Help()
    .optionDescription(option)
    .replace(/ \((default: [^()]*)\) \((choices: [^()]*)\)$/, " ($2, $1)");
}
