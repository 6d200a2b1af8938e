// The table of clients in docs/compatibility.md.

const BEGIN = '<!-- table of clients: written by `npm run test:clients` -->';
const END = '<!-- end of the table of clients -->';

/** Markdown, one row for each client, in the order of their names. */
export function tableOf(clients) {
  const rows = [...clients]
    .sort((a, b) => a.client.localeCompare(b.client, 'en'))
    .map(({ client, version, protocol, passed, total, note }) => [
      client,
      version,
      protocol,
      `${passed} of ${total}`,
      note,
    ]);
  const head = ['client', 'version', 'speaks', 'scenarios passed', 'notes'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ').trimEnd()} |`).join('\n');
}

/** The document with its table replaced. */
export function withTable(document, table) {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error('the document has no place for the table of clients');
  return `${document.slice(0, begin)}${BEGIN}\n\n${table}\n\n${document.slice(end)}`;
}
