import { describe, expect, it } from 'vitest';
import { countsOf, summaryLine } from './test-counts.mjs';

const file = (status, ...tests) => ({ status, assertionResults: tests.map((test) => ({ status: test })) });

describe('countsOf', () => {
  it('counts tests by what became of them', () => {
    const testResults = [file('passed', 'passed', 'passed', 'skipped'), file('failed', 'failed', 'passed', 'todo')];
    expect(countsOf({ testResults }, false)).toEqual({ passed: 3, failed: 1, skipped: 2 });
  });

  it('counts a file that cannot be loaded as a failure', () => {
    expect(countsOf({ testResults: [file('failed')] }, false)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it('counts an error outside of the tests as a failure', () => {
    expect(countsOf({ testResults: [file('passed', 'passed')] }, false).failed).toBe(1);
  });

  it('counts a run without a report as a failure', () => {
    expect(countsOf(undefined, false)).toEqual({ passed: 0, failed: 1, skipped: 0 });
    expect(countsOf(undefined, true).failed).toBe(1);
  });
});

describe('summaryLine', () => {
  it('mentions skipped tests when there are any', () => {
    expect(summaryLine({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
    expect(summaryLine({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped');
  });
});
