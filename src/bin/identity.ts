import { Command, Option } from 'commander';
import { type Flags, loadSettings } from '../server/config/load.ts';
import { SETTINGS, type Settings, variableOf } from '../server/config/settings.ts';
import {
  addKey,
  addUser,
  type IdentityFiles,
  keyFileOf,
  listIdentities,
  removeKey,
} from '../server/identity/identity-commands.ts';
import { CONFIG_HELP, optionsFor } from './setting-options.ts';

const ACCOUNT = new Option(
  '--account <digits>',
  `account of the user (default ${SETTINGS.account.default}, ${variableOf('account')})`,
);

/** `stanchion identity ...`: who may call the server, in a file that a running server reads again. */
export function identityCommand(): Command {
  return new Command('identity')
    .description('Manage users and access keys in an identity file.')
    .addCommand(
      subcommand('add-user')
        .description('Add a user without permissions and access keys. Makes the file when there is none.')
        .argument('<name>', 'name of the user')
        .addOption(ACCOUNT)
        .option('--group <name>', 'group that the user is in; may be given several times', collect, [])
        .action(async (name: string, { group, ...flags }: Flags & { group: string[] }) => {
          const settings = await loadSettings(flags, process.env);
          const { account } = settings;
          await addUser(filesOf(settings), { name, account, groups: group });
          print(`added user ${name} to account ${account}`);
        }),
    )
    .addCommand(
      subcommand('add-key')
        .description('Give a user a new access key. Its secret is shown once, and kept only encrypted.')
        .argument('<user>', 'name of the user')
        .option('--account <digits>', 'account of the user, where several have one of this name')
        .action(async (name: string, { account, ...flags }: Flags & { account?: string }) => {
          const files = await filesFor(flags);
          const { accessKeyId, secret } = await addKey(files, { name, account });
          print(`aws_access_key_id = ${accessKeyId}`);
          print(`aws_secret_access_key = ${secret}`);
          process.stderr.write(`stanchion: this secret cannot be shown again; ${keyFileOf(files)} decrypts it\n`);
        }),
    )
    .addCommand(
      subcommand('remove-key')
        .description('Take an access key away.')
        .argument('<access-key-id>', 'the access key')
        .action(async (accessKeyId: string, flags: Flags) => {
          await removeKey(await filesFor(flags), accessKeyId);
          print(`removed access key ${accessKeyId}`);
        }),
    )
    .addCommand(
      subcommand('list')
        .description('Show who there is, with access keys but without secrets.')
        .action(async (flags: Flags) => {
          for (const line of await listIdentities(await filesFor(flags))) print(line);
        }),
    );
}

function subcommand(name: string): Command {
  const command = new Command(name).option('--config <file>', CONFIG_HELP);
  for (const key of ['identityFile', 'keyFile'] as const) {
    for (const option of optionsFor(key)) command.addOption(option);
  }
  return command;
}

async function filesFor(flags: Flags): Promise<IdentityFiles> {
  return filesOf(await loadSettings(flags, process.env));
}

function filesOf({ identityFile: file, keyFile }: Settings): IdentityFiles {
  return { file, keyFile };
}

function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
