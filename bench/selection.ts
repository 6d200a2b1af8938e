/** What `all` measures, as it would be typed: enough to know a server, in about a quarter of an hour. */
const SELECTION: readonly string[][] = [
  ['send', '--connections', '1,64'],
  ['receive'],
  ['lifecycle'],
  ['batch'],
  ['fifo', '--rounds', '1'],
  ['wakeup'],
  ['mixed'],
  ['backlog', '--depths', '1e3,1e5,1e6'],
  ['backlog', '--depths', '1e3,1e5', '--groups', '1000'],
  ['restart', '--depths', '1e3,1e5,1e6'],
  ['idle'],
];

/** What can be done to a server that is not started here. */
const NEEDS_OURS = new Set(['restart']);

/** The command lines of `all`; what is given with it goes before what the selection says. */
export function selectionFor(given: readonly string[], hasTarget: boolean): string[][] {
  return SELECTION.filter(([name]) => !(hasTarget && NEEDS_OURS.has(name as string))).map((each) => [
    ...each,
    ...given,
  ]);
}
