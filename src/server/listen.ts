import type { AddressInfo, Server } from 'node:net';
import type { BoundAddress } from './public-url.ts';

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
