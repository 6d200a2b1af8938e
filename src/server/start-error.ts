/** Why the server cannot start, in one line that tells its operator what to do: shown without a stack trace. */
export class StartError extends Error {
  override name = 'StartError';
}

/** Settings that are wrong. `problems` holds one line each; there may be several. */
export class ConfigError extends StartError {
  override name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options);
    this.problems = problems;
  }
}
