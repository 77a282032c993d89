/**
 * Replaces a value that a preview doesn't read, such as a value of a Secret outside this
 * deployment. It differs from every value in a Secret's `data`, because these are Base64.
 */
export const notCompared = "(not compared)";
