import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configFileLayer } from './config-file.ts';
import { environmentLayer } from './environment.ts';

describe('environmentLayer', () => {
  it('knows a variable for each setting, and ignores those of others', () => {
    const layer = environmentLayer({ STANCHION_PUBLIC_URL: 'http://x', STANCHION_PORT: '1', HOME: '/root' });
    expect(layer.values).toEqual({ publicUrl: 'http://x', port: '1' });
    expect(layer.nameOf('publicUrl')).toBe('STANCHION_PUBLIC_URL');
  });

  it('takes an empty variable as not set, and leaves the one for the file alone', () => {
    expect(environmentLayer({ STANCHION_PORT: '', STANCHION_CONFIG: 'x.yaml' }).values).toEqual({});
  });

  it('refuses a variable that means nothing', () => {
    expect(() => environmentLayer({ STANCHION_DURABILTY: 'none' })).toThrow(
      'STANCHION_DURABILTY is not a setting; did you mean "STANCHION_DURABILITY"?',
    );
  });

  it('ignores what Kubernetes sets for a Service called stanchion', () => {
    const layer = environmentLayer({
      STANCHION_SERVICE_HOST: '10.0.0.7',
      STANCHION_SERVICE_PORT: '9324',
      STANCHION_SERVICE_PORT_HTTP: '9324',
      STANCHION_PORT: 'tcp://10.0.0.7:9324',
      STANCHION_PORT_9324_TCP: 'tcp://10.0.0.7:9324',
      STANCHION_PORT_9324_TCP_PROTO: 'tcp',
    });
    expect(layer.values).toEqual({});
  });
});

describe('configFileLayer', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stanchion-config-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function layerOf(name: string, text: string) {
    const path = join(folder, name);
    await writeFile(path, text);
    return configFileLayer(path);
  }

  it('reads YAML', async () => {
    const layer = await layerOf('a.yaml', 'port: 1\nqueues:\n  orders:\n    attributes: { DelaySeconds: 5 }\n');
    expect(layer.values).toEqual({ port: 1, queues: { orders: { attributes: { DelaySeconds: 5 } } } });
    expect(layer.nameOf('port')).toBe(join(folder, 'a.yaml'));
  });

  it('reads JSON', async () => {
    expect((await layerOf('a.json', '{\n\t"port": 1\n}')).values).toEqual({ port: 1 });
  });

  it('takes an empty file as one without settings', async () => {
    expect((await layerOf('empty.yaml', '# nothing yet\n')).values).toEqual({});
  });

  it('says where YAML is wrong', async () => {
    await expect(layerOf('b.yaml', 'port: 1\nhost: [')).rejects.toThrow(
      /^the configuration file .*b\.yaml cannot be parsed: .* at line 2, column \d+$/,
    );
  });

  it('refuses a key given twice', async () => {
    await expect(layerOf('c.yaml', 'port: 1\nport: 2')).rejects.toThrow('Map keys must be unique');
  });

  it('says that JSON is wrong', async () => {
    await expect(layerOf('b.json', '{"port": 1,}')).rejects.toThrow(/b\.json cannot be parsed: .*JSON/);
  });

  it.each(['- a', '42', 'text'])('refuses a file that is no map: %j', async (text) => {
    await expect(layerOf('d.yaml', text)).rejects.toThrow('must be a map of settings');
  });

  it('says that there is no such file', async () => {
    await expect(configFileLayer('/nowhere/x.yaml')).rejects.toThrow(
      'cannot read the configuration file /nowhere/x.yaml: there is no such file',
    );
    await expect(configFileLayer(folder)).rejects.toThrow('it is a directory');
  });
});
