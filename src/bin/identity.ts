import { Command } from 'commander';
import {
  addKey,
  addUser,
  type IdentityFiles,
  keyFileOf,
  listIdentities,
  removeKey,
} from '../server/identity/identity-commands.ts';

/** `stanchion identity ...`: who may call the server, in a file that a running server reads again. */
export function identityCommand(): Command {
  return new Command('identity')
    .description('Manage users and access keys in an identity file.')
    .addCommand(
      subcommand('add-user')
        .description('Add a user without permissions and access keys. Makes the file when there is none.')
        .argument('<name>', 'name of the user')
        .requiredOption('--account <digits>', 'account of the user, 12 digits')
        .option('--group <name>', 'group that the user is in; may be given several times', collect, [])
        .action(async (name: string, { account, group, ...files }: UserFlags) => {
          await addUser(files, { name, account, groups: group });
          print(`added user ${name} to account ${account}`);
        }),
    )
    .addCommand(
      subcommand('add-key')
        .description('Give a user a new access key. Its secret is shown once, and kept only encrypted.')
        .argument('<user>', 'name of the user')
        .option('--account <digits>', 'account of the user, where several have one of this name')
        .action(async (name: string, { account, ...files }: KeyFlags) => {
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
        .action(async (accessKeyId: string, files: IdentityFiles) => {
          await removeKey(files, accessKeyId);
          print(`removed access key ${accessKeyId}`);
        }),
    )
    .addCommand(
      subcommand('list')
        .description('Show who there is, with access keys but without secrets.')
        .action(async (files: IdentityFiles) => {
          for (const line of await listIdentities(files)) print(line);
        }),
    );
}

type UserFlags = IdentityFiles & { account: string; group: string[] };
type KeyFlags = IdentityFiles & { account?: string };

function subcommand(name: string): Command {
  return new Command(name)
    .option('--file <file>', 'the identity file, YAML or JSON', './identity.yaml')
    .option('--key-file <file>', 'the key that secrets are encrypted with (default: beside the identity file)');
}

function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
