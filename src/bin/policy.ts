import { Command } from 'commander';
import { explainAccess } from '../server/access/explain-access.ts';
import { type Flags, loadSettings } from '../server/config/load.ts';
import { CONFIG_HELP, optionsFor } from './setting-options.ts';

interface ExplainFlags {
  as: string;
  action: string;
  queue: string;
  queuePolicy?: string;
  tag: Record<string, string>;
  sourceIp?: string;
  secure: boolean;
}

/** `stanchion policy explain`: exit code 0 when it would be allowed, 2 when not, 1 when that cannot be said. */
export function policyCommand(): Command {
  const explain = new Command('explain')
    .description('Show what would be decided about a request, and which statement decides.')
    .requiredOption('--as <who>', 'alice, role/worker, root or anonymous; of another account 111122223333:alice')
    .requiredOption('--action <action>', 'such as SendMessage')
    .requiredOption('--queue <name>', 'such as orders; of another account 111122223333:orders')
    .option('--queue-policy <file>', 'the Policy attribute of the queue (default: it has none)')
    .option('--tag <key=value>', 'tag of the queue; may be given several times', collectTag, {})
    .option('--source-ip <address>', 'where the request comes from')
    .option('--secure', 'it comes over TLS', false)
    .option('--config <file>', CONFIG_HELP)
    .action(async ({ as, action, queue, queuePolicy, tag, sourceIp, secure, ...flags }: ExplainFlags & Flags) => {
      const settings = await loadSettings(flags, process.env);
      const question = { as, action, queue, queuePolicy, tags: tag, sourceIp, isSecure: secure };
      const { isAllowed, lines } = await explainAccess(question, settings);
      for (const line of lines) process.stdout.write(`${line}\n`);
      if (!isAllowed) process.exitCode = 2;
    });
  for (const key of ['identityFile', 'keyFile', 'endpointPolicy', 'account', 'region'] as const) {
    for (const option of optionsFor(key)) explain.addOption(option);
  }
  return new Command('policy').description('Ask what policies decide.').addCommand(explain);
}

function collectTag(text: string, earlier: Record<string, string>): Record<string, string> {
  const mark = text.indexOf('=');
  return mark < 0 ? { ...earlier, [text]: '' } : { ...earlier, [text.slice(0, mark)]: text.slice(mark + 1) };
}
