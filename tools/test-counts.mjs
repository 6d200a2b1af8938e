// Counts a test run from vitest's JSON report.

/**
 * `succeeded` is whether the test runner itself ended well. What it found wrong besides failing tests counts as one
 * failure: an unhandled error, a crash, or no report at all must never look like success.
 */
export function countsOf(report, succeeded) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of report?.testResults ?? []) {
    for (const test of file.assertionResults) counts[KIND_OF_STATUS[test.status] ?? 'skipped']++;
    // A file that cannot even be loaded has no tests to fail.
    const loaded = file.assertionResults.length > 0 || file.status !== 'failed';
    if (!loaded) counts.failed++;
  }
  if ((!succeeded || report === undefined) && counts.failed === 0) counts.failed++;
  return counts;
}

const KIND_OF_STATUS = { passed: 'passed', failed: 'failed' };

export function summaryLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
