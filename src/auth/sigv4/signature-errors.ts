import { SqsError } from '../../protocol/model/errors.ts';

/** What SQS answers to requests whose signature it does not accept (SQS: section 1.7). */

export function missingAuthenticationToken(): SqsError {
  return new SqsError('MissingAuthenticationTokenException', 'Request is missing Authentication Token');
}

/** The request does not say all that a signature needs, or says it wrongly. */
export function incompleteSignature(message: string): SqsError {
  return new SqsError('IncompleteSignatureException', message);
}

/** An access key that nobody has, or a session token that this server has not made. */
export function unknownCredentials(): SqsError {
  return new SqsError('UnrecognizedClientException', 'The security token included in the request is invalid.');
}

export function expiredToken(): SqsError {
  return new SqsError('ExpiredTokenException', 'The security token included in the request is expired');
}

/** Also for times and scopes: SQS gives them the code of a wrong signature, and clients set their clocks by it. */
export function refusedSignature(message: string): SqsError {
  return new SqsError('InvalidSignatureException', message);
}

/** Shows what the server would have signed, as SQS does: it is made of what the client has sent, and of nothing else. */
export function signatureMismatch(canonicalRequest: string, stringToSign: string): SqsError {
  return refusedSignature(
    'The request signature we calculated does not match the signature you provided. ' +
      'Check your AWS Secret Access Key and signing method. Consult the service documentation for details.\n\n' +
      `The Canonical String for this request should have been\n'${canonicalRequest}'\n\n` +
      `The String-to-Sign should have been\n'${stringToSign}'\n`,
  );
}
