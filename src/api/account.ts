const ACCOUNT_ID = /^\d{12}$/;

export function isAccountId(text: string): boolean {
  return ACCOUNT_ID.test(text);
}
