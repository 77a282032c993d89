const { INPUT_PATH: path, INPUT_REPOSITORY: repository } = process.env;
if (path || repository) throw new Error("No workflow checks out another repository");
