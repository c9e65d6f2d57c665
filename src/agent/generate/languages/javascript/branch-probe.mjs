var branches__;
function ran_branch__(number, value) {
  if (!branches__) {
    branches__ = new Set();
    process.on('exit', () => console.log('\nSIGN ' + [...branches__].join(' ')));
  }
  branches__.add(number + (value ? '+' : '-'));
  return value;
}
