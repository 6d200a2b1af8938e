export type Cell = string | number | undefined;

export interface Column {
  key: string;
  heading: string;
  /** `text`; `count`: with thousands; else so many digits behind the point. */
  format: 'text' | 'count' | number;
}

/** What has been measured, as it is shown; the numbers in it are whole. */
export interface Table {
  title: string;
  columns: Column[];
  rows: Record<string, Cell>[];
  /** What a reader has to know to believe the numbers. */
  notes: string[];
}

/** With blanks between the columns, for a terminal. Columns of which nothing is known are left out. */
export function textOf({ title, columns, rows, notes }: Table): string {
  const shown = columns.filter(({ key }) => rows.some((row) => row[key] !== undefined));
  const lines = [
    shown.map(({ heading }) => heading),
    ...rows.map((row, index) => cellsOf(shown, row, rows[index - 1])),
  ];
  const widths = shown.map((_, column) => Math.max(...lines.map((line) => (line[column] as string).length)));
  const aligned = lines.map((line) =>
    line
      .map((cell, column) => {
        const width = widths[column] as number;
        return shown[column]?.format === 'text' ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
  return [title, '', ...aligned, ...notes.map((note) => `! ${note}`)].join('\n');
}

export function markdownOf({ title, columns, rows, notes }: Table): string {
  const shown = columns.filter(({ key }) => rows.some((row) => row[key] !== undefined));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    title,
    '',
    line(shown.map(({ heading }) => heading)),
    line(shown.map(({ format }) => (format === 'text' ? '---' : '---:'))),
    ...rows.map((row, index) => line(cellsOf(shown, row, rows[index - 1]))),
    ...notes.flatMap((note) => ['', note]),
  ].join('\n');
}

/** A text that the row above has too is said once. */
function cellsOf(columns: readonly Column[], row: Record<string, Cell>, above: Record<string, Cell> | undefined) {
  let isSame = above !== undefined;
  return columns.map(({ key, format }) => {
    const value = row[key];
    if (format === 'text') {
      isSame &&= value === above?.[key];
      return isSame ? '' : String(value ?? '');
    }
    return numberText(value as number | undefined, format);
  });
}

function numberText(value: number | undefined, format: 'count' | number): string {
  if (value === undefined || Number.isNaN(value)) return '';
  return format === 'count' ? Math.round(value).toLocaleString('en') : value.toFixed(format);
}
