import { expect, it } from 'vitest';
import { invalidParameterValue, missingParameter } from '../support/errors.ts';
import { nameOf, overBothProtocols } from '../support/sqs.ts';

const KEY_LENGTH = invalidParameterValue('Tag keys must be between 1 and 128 characters in length.');
const KEY_CHARACTERS = invalidParameterValue(
  'Tag keys may only contain unicode letters, digits, whitespace, or one of these symbols: _ . : / = + - @',
);
const numberedTags = (count: number, value = '') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`tag${index}`, value]));

overBothProtocols('TagQueue', (sqs) => {
  /** SQS: section 2.21 */
  it('adds tags and replaces the values of those there are', async () => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.call('TagQueue', { QueueUrl, Tags: { a: '1', A: '2', empty: '' } })).toEqual({});
    await sqs.call('TagQueue', { QueueUrl, Tags: { a: '3', b: 'Wörter mit @' } });
    expect(await sqs.call('ListQueueTags', { QueueUrl })).toEqual({
      Tags: { a: '3', A: '2', empty: '', b: 'Wörter mit @' },
    });
  });

  it.each([
    ['no tags', undefined],
    ['an empty map of tags', {}],
  ])('refuses %s', async (_, Tags) => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('TagQueue', { QueueUrl, Tags })).toEqual(missingParameter('Tags'));
  });

  it('takes 50 tags, and refuses to add one more', async () => {
    const QueueUrl = await sqs.createQueue();
    await sqs.call('TagQueue', { QueueUrl, Tags: numberedTags(50) });
    await sqs.call('TagQueue', { QueueUrl, Tags: { tag0: 'replaced' } });
    expect(await sqs.failure('TagQueue', { QueueUrl, Tags: { tag1: 'not replaced', more: '' } })).toEqual(
      invalidParameterValue(`Too many tags added for queue ${nameOf(QueueUrl)}.`),
    );
    const { Tags } = await sqs.call('ListQueueTags', { QueueUrl });
    expect(Tags).toEqual({ ...numberedTags(50), tag0: 'replaced' });
  });

  it.each([
    ['an empty key', '', KEY_LENGTH],
    ['a key of 129 characters', 'k'.repeat(129), KEY_LENGTH],
    ['a key with a character that is not allowed', 'key!', KEY_CHARACTERS],
    ['a key with an asterisk', 'a*', KEY_CHARACTERS],
  ])('refuses %s', async (_, key, error) => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('TagQueue', { QueueUrl, Tags: { [key]: 'v' } })).toEqual(error);
    expect(await sqs.failure('CreateQueue', { QueueName: sqs.uniqueName(), tags: { [key]: 'v' } })).toEqual(error);
  });

  it('refuses keys that are reserved', async () => {
    const QueueUrl = await sqs.createQueue();
    // The text is not known (SQS: section 14).
    expect(await sqs.failure('TagQueue', { QueueUrl, Tags: { 'aws:key': 'v' } })).toMatchObject({
      code: 'InvalidParameterValue',
      status: 400,
    });
  });

  it.each(['_.:/=+-@', 'with space', 'Schlüssel9', 'k'.repeat(128)])('takes the key %s', async (key) => {
    const QueueUrl = await sqs.createQueue();
    await sqs.call('TagQueue', { QueueUrl, Tags: { [key]: 'v'.repeat(256) } });
    expect(await sqs.call('ListQueueTags', { QueueUrl })).toEqual({ Tags: { [key]: 'v'.repeat(256) } });
  });
});

/** SQS: section 2.22 */
overBothProtocols('UntagQueue', (sqs) => {
  it('removes tags and ignores keys that there are not', async () => {
    const QueueUrl = await sqs.createQueue();
    await sqs.call('TagQueue', { QueueUrl, Tags: { a: '1', b: '2', c: '3' } });
    expect(await sqs.call('UntagQueue', { QueueUrl, TagKeys: ['a', 'B', 'unknown', 'c'] })).toEqual({});
    expect(await sqs.call('ListQueueTags', { QueueUrl })).toEqual({ Tags: { b: '2' } });
  });

  it('refuses an empty list', async () => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('UntagQueue', { QueueUrl, TagKeys: [] })).toEqual(KEY_LENGTH);
  });
});

/** SQS: section 2.23 */
overBothProtocols('ListQueueTags', (sqs) => {
  it('omits the map when there are no tags', async () => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.call('ListQueueTags', { QueueUrl })).toEqual({});
    await sqs.call('TagQueue', { QueueUrl, Tags: { a: '1' } });
    await sqs.call('UntagQueue', { QueueUrl, TagKeys: ['a'] });
    expect(await sqs.call('ListQueueTags', { QueueUrl })).toEqual({});
  });
});
