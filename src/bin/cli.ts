import { Command } from 'commander';
import type { Flags } from '../server/config/load.ts';
import { SCALAR_KEYS } from '../server/config/settings.ts';
import { StartError } from '../server/start-error.ts';
import { VERSION } from '../server/version.ts';
import { auditVerify } from './audit.ts';
import { compact } from './compact.ts';
import { identityCommand } from './identity.ts';
import { addKey, listKeys, rotateKeys } from './keyring.ts';
import { policyCommand } from './policy.ts';
import { serve } from './serve.ts';
import { CONFIG_HELP, optionsFor } from './setting-options.ts';

/** Runs the command line. Resolves when the command is done, or, for `serve`, when the server serves. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    const stanchion = program();
    // Without a command: help, as an answer and not as an error.
    if (argv.length <= 2) stanchion.outputHelp();
    else await stanchion.parseAsync(argv);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    for (const line of error.message.split('\n')) process.stderr.write(`stanchion: ${line}\n`);
    process.exitCode = 1;
  }
}

function program(): Command {
  return new Command('stanchion')
    .description('A durable message queue server that speaks the Amazon SQS API.')
    .version(VERSION)
    .addCommand(serveCommand())
    .addCommand(compactCommand())
    .addCommand(keyringCommand())
    .addCommand(identityCommand())
    .addCommand(policyCommand())
    .addCommand(auditCommand());
}

function keyringCommand(): Command {
  const command = new Command('keyring').description('Manage the keys that encrypt messages on disk.');
  const subcommand = (usage: string, description: string) => {
    const child = command.command(usage).description(description).option('--config <file>', CONFIG_HELP);
    for (const key of ['data', 'keyring'] as const) for (const option of optionsFor(key)) child.addOption(option);
    return child;
  };
  subcommand('list', 'Show the keys and their versions, without the secrets.').action((flags: Flags) =>
    listKeys(flags, process.env),
  );
  subcommand('rotate [key]', 'Encrypt with new versions from the next start on; the old ones still decrypt.').action(
    (key: string | undefined, flags: Flags) => rotateKeys(key, flags, process.env),
  );
  subcommand('add <key>', 'Make a key that KmsMasterKeyId can name, for example alias/orders.').action(
    (key: string, flags: Flags) => addKey(key, flags, process.env),
  );
  return command;
}

function compactCommand(): Command {
  const command = new Command('compact')
    .description('Give the space of deleted messages back to the system. The server must not run.')
    .option('--config <file>', CONFIG_HELP)
    .action((flags: Flags) => compact(flags, process.env));
  for (const option of optionsFor('data')) command.addOption(option);
  return command;
}

function auditCommand(): Command {
  const verify = new Command('verify')
    .description('Check that no record of an audit trail was changed, and that none is missing.')
    .argument('[directory]', 'of the trail; without it that of the settings')
    .option('--partial', 'older files have been taken away: the trail may begin anywhere')
    .option('--config <file>', 'YAML or JSON file with settings (STANCHION_CONFIG)')
    .action((directory: string | undefined, flags: Flags) => auditVerify(directory, flags, process.env));
  for (const key of ['audit', 'data'] as const) for (const option of optionsFor(key)) verify.addOption(option);
  return new Command('audit').description('The audit trail.').addCommand(verify);
}

function serveCommand(): Command {
  const command = new Command('serve')
    .description('Serve queues. A flag goes before its environment variable, and that before the configuration file.')
    .option('--config <file>', 'YAML or JSON file with settings and queues (STANCHION_CONFIG)')
    .action((flags: Flags) => serve(flags, process.env));
  for (const key of SCALAR_KEYS) for (const option of optionsFor(key)) command.addOption(option);
  return command;
}
