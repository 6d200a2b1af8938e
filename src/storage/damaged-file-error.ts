/** The data file is not whole. It has been left as it is. */
export class DamagedFileError extends Error {
  override name = 'DamagedFileError';

  /** `what` completes the sentence "<path> is damaged: ...". */
  constructor(path: string, what: string) {
    super(
      `${path} is damaged: ${what}. Nothing was changed. Restore the directory from a backup, ` +
        'or move it away to begin with an empty store',
    );
  }
}
