import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { flagOf, SCALAR_KEYS, SETTINGS, variableOf } from './settings.ts';

describe('settings', () => {
  it.each(SCALAR_KEYS)('%s has a default that its own rule accepts', (key) => {
    const { schema, default: fallback } = SETTINGS[key];
    if (fallback !== undefined) expect(schema.parse(fallback)).toBe(fallback);
  });

  it('are named alike everywhere', () => {
    expect([flagOf('publicUrl'), variableOf('publicUrl')]).toEqual(['--public-url', 'STANCHION_PUBLIC_URL']);
    expect([flagOf('port'), variableOf('port')]).toEqual(['--port', 'STANCHION_PORT']);
  });

  it.each(SCALAR_KEYS)('%s is in the documentation, with its default', (key) => {
    const documentation = readFileSync('docs/configuration.md', 'utf8');
    const fallback = SETTINGS[key].default === undefined ? '' : `\`${SETTINGS[key].default}\``;
    const row = ['', `\`${flagOf(key)}\``, `\`${variableOf(key)}\``, `\`${key}\``, fallback, ''].join(' | ').trim();
    expect(documentation.replaceAll(/ +/g, ' ')).toContain(row.replaceAll(/ +/g, ' '));
  });
});
