import type { Report } from './report.ts';
import type { Headline } from './section.ts';

const WIDTH = 900;
const LABEL_WIDTH = 420;
const VALUE_WIDTH = 150;
const BAR_HEIGHT = 18;
const ROW_HEIGHT = 26;
const TITLE_HEIGHT = 44;
const FOOT_HEIGHT = 30;

interface Bar {
  label: string;
  /** Length of the bar, against the longest. */
  length: number;
  text: string;
}

/** What was measured, as bars: rates against the echo server where there are any, else each number by itself. */
export function chartOf({ date, machine, sections, options }: Report): string {
  const headlines = sections.flatMap((section) => section.headlines);
  const toEcho = headlines.filter(({ to }) => to === 'echo');
  const bars = toEcho.length > 0 ? toEcho.flatMap(barOfRatio) : headlines.map(barOfValue);
  const title =
    toEcho.length > 0 ? `${options.scenario}: messages per request of a bare HTTP server` : options.scenario;
  const foot = `${date.slice(0, 10)}, ${machine.cores} x ${machine.cpu}, load ${machine.loadAtStart.toFixed(2)}`;
  return drawn(title, bars, foot);
}

function barOfRatio({ name, ratio, value }: Headline): Bar[] {
  if (ratio === undefined) return [];
  return [{ label: name, length: ratio, text: `${ratio.toFixed(2)}  (${Math.round(value).toLocaleString('en')}/s)` }];
}

function barOfValue({ name, value, unit, ratio, to }: Headline): Bar {
  const times = ratio === undefined ? '' : `  (x ${ratio.toFixed(2)})`;
  return {
    label: `${name}${to === undefined ? '' : ` / ${to}`}`,
    length: ratio ?? value,
    text: `${value.toFixed(1)} ${unit}${times}`,
  };
}

function drawn(title: string, bars: readonly Bar[], foot: string): string {
  const longest = Math.max(...bars.map(({ length }) => length), Number.MIN_VALUE);
  const scale = (WIDTH - LABEL_WIDTH - VALUE_WIDTH) / longest;
  const height = TITLE_HEIGHT + bars.length * ROW_HEIGHT + FOOT_HEIGHT;
  const rows = bars.map(({ label, length, text }, index) => {
    const top = TITLE_HEIGHT + index * ROW_HEIGHT;
    const width = Math.max(1, length * scale);
    const base = top + BAR_HEIGHT - 5;
    return [
      `<text x="${LABEL_WIDTH - 8}" y="${base}" text-anchor="end">${escaped(label)}</text>`,
      `<rect x="${LABEL_WIDTH}" y="${top}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}" fill="#3b7dd8"/>`,
      `<text x="${(LABEL_WIDTH + width + 6).toFixed(1)}" y="${base}">${escaped(text)}</text>`,
    ].join('\n');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}"` +
      ' font-family="sans-serif" font-size="12">',
    // So that it can be read on a dark page too.
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="12" y="26" font-size="16" font-weight="bold">${escaped(title)}</text>`,
    ...rows,
    `<text x="12" y="${height - 10}" fill="#666666">${escaped(foot)}</text>`,
    '</svg>',
    '',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
