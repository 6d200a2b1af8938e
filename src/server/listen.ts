import type { AddressInfo, Server } from 'node:net';
import type { BoundAddress } from './public-url.ts';
import { StartError } from './start-error.ts';

/** Rejects with the error of the operating system, such as EADDRINUSE. Later errors go to `onError`. */
export function listenAt(server: Server, { host, port }: BoundAddress, onError: (error: Error) => void) {
  return new Promise<BoundAddress>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      server.on('error', onError);
      const { address, port: bound } = server.address() as AddressInfo;
      resolve({ host: address, port: bound });
    });
  });
}

/** @throws StartError when `listen` cannot, for a reason that is the machine's. */
export async function listenOrExplain(
  address: BoundAddress,
  listen: (address: BoundAddress) => Promise<BoundAddress>,
): Promise<BoundAddress> {
  try {
    return await listen(address);
  } catch (error) {
    const reason = listenFailure(error as NodeJS.ErrnoException);
    throw new StartError(`cannot listen on ${address.host}:${address.port}: ${reason}`, { cause: error });
  }
}

function listenFailure(error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE') return 'the port is in use';
  if (error.code === 'EACCES') return 'permission denied (ports below 1024 are often reserved)';
  if (error.code === 'EADDRNOTAVAIL') return 'this machine has no such address';
  if (error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') return 'there is no such host';
  return error.message;
}
