//! Forms of input and output through which values go: namelists, streams, lines in pieces, implied loops, formats in
//! variables, positions, and what is asked of files.

use super::features::{Form, lines, piece, sent_value};
use super::statements::Generator;

impl Generator {
    pub fn input_output(&mut self, number: usize) -> Form {
        match self.chance.below(7) {
            0 => self.namelist(number),
            1 => self.stream(),
            2 => self.nonadvancing(),
            3 => self.implied_do(),
            4 => self.format_in_variable(),
            5 => self.positions(),
            _ => self.inquire(),
        }
    }

    fn namelist(&mut self, number: usize) -> Form {
        let (unit, before) = self.text_or_unit();
        let group = format!("zqg{number}");
        let changed = self.chance.pick(&[
            "u = 40 + modulo(n, 9)",
            "c(2) = 41",
            "c = modulo(n, 5)\nu = c(1)",
        ]);
        let between = self.chance.pick(&["u = 0\nc = 1", "c(2:3) = 2", "u = 3"]);
        let asked = self.chance.pick(&["u", "c(2) + 10 * u", "sum(c)"]);
        let rewound = if unit == "m" { "rewind(m)" } else { "" };
        let body = vec![
            piece("c = 6"),
            piece(&before),
            piece(&format!(
                "{changed}\nwrite({unit}, nml={group})\n{rewound}\n{between}\nread({unit}, nml={group})"
            )),
            piece(&format!("v = {asked}")),
            piece(&sent_value("v")),
        ];
        let declared =
            format!("  integer :: c(3)\n  character(80) :: long(5)\n  namelist /{group}/ u, c");
        Form {
            declared: lines(&declared),
            body,
            ..Form::default()
        }
    }

    /// Where lines go: texts, or a file that is gone afterwards.
    fn text_or_unit(&mut self) -> (&'static str, String) {
        match self.chance.one_in(2) {
            true => ("long", "long = ' '".into()),
            false => ("m", "open(newunit=m, status='scratch')".into()),
        }
    }

    /// A file without records: any place can be written and read.
    fn stream(&mut self) -> Form {
        let written = self.chance.pick(&[
            "write(m, pos=5) 20 + modulo(n, 9)",
            "write(m, pos=1) 21, 22",
            "write(m) 23",
            "inquire(m, pos=ic)\nwrite(m, pos=ic - 4) 24",
            "write(m, pos=1 + 4 * modulo(n, 3)) 25",
        ]);
        let read = self.chance.pick(&[
            "read(m, pos=5) v",
            "read(m, pos=1) ic, v",
            "rewind(m)\nread(m) ic, v, u\nv = v + u",
            "read(m, pos=9) v",
            "inquire(m, size=v)",
        ]);
        let body = vec![piece(&format!(
            "open(newunit=m, status='scratch', access='stream', form='unformatted')
write(m) 1, 2, 3 + modulo(l, 4)
{written}
{read}
close(m)
{}",
            sent_value("v + ic")
        ))];
        Form {
            body,
            ..Form::default()
        }
    }

    /// A line that is written and read piece by piece.
    fn nonadvancing(&mut self) -> Form {
        let read = self.chance.pick(&[
            "read(m, '(i2)', advance='no') ic\nread(m, '(i2)') v",
            "read(m, '(i4)', advance='no') v\nread(m, '(i2)', advance='no', eor=10) ic\nread(m, '(i2)', advance='no', eor=10) u\nv = v + 3\n10 continue",
            "read(m, '(a)', advance='no', size=v, iostat=ic) tx\nif (ic == 0) v = 90",
            "read(m, *) ic\nread(m, *, iostat=u) v\nif (u /= 0) v = 91",
        ]);
        let body = vec![piece(&format!(
            "open(newunit=m, status='scratch')
write(m, '(i2.2)', advance='no') modulo(n, 50)
if (modulo(l, 2) == 0) write(m, '(i2.2)', advance='no') 12
write(m, '(i2.2)') 34 + modulo(n, 5)
write(m, *) 56
rewind(m)
{read}
close(m)
{}",
            sent_value("v + ic")
        ))];
        Form {
            body,
            ..Form::default()
        }
    }

    /// Implied loops, and elements whose index is an earlier item of the same list.
    fn implied_do(&mut self) -> Form {
        let written = self.chance.pick(&[
            "write(long, '(8i3)') (a(k), k=1,8,2), (b(k), k=4,1,-1)",
            "write(long, '(*(i4))') a(1:4), (k, a(k), k=2,3), 7, 7",
            "write(long, *) 3, 60 + modulo(n, 9), 5, 6, 7, 8, 9, 10",
            "write(long, '(8i3)') ((k + j, k=1,2), j=1,4)",
        ]);
        let read = self.chance.pick(&[
            "read(long, *) k, b(k)",
            "read(long, *) (b(j), j=1,modulo(n, 4) + 1)",
            "read(long, *) j, (a(k), k=1,min(j, 3)), u",
            "read(long, '(8i3)') (b(9 - k), k=1,8)",
        ]);
        let asked = self.chance.pick(&[
            "sum(b) + 3 * a(2)",
            "b(3) + b(2)",
            "k + j + b(1)",
            "u + a(1)",
        ]);
        let body = vec![
            piece("a = [(modulo(k + n, 6) + 1, k = 1, 8)]"),
            piece(&format!("{written}\n{read}")),
            piece(&format!("v = {asked}")),
            piece(&sent_value("v")),
        ];
        Form {
            declared: lines("  character(120) :: long"),
            body,
            ..Form::default()
        }
    }

    fn format_in_variable(&mut self) -> Form {
        let made = self.chance.pick(&[
            "fm = '(i' // achar(50 + modulo(n, 3)) // ')'",
            "fm = '(i4)'\nif (modulo(n, 2) == 0) fm = '(i2)'",
            "write(fm, '(a, i1, a)') '(i', 2 + modulo(n, 3), ')'",
        ]);
        let body = vec![
            piece(made),
            piece("tx = '123456'\nread(tx, fm) v"),
            piece("write(tx, fm) 7\nu = len_trim(tx)"),
            piece(&sent_value("v + 10000 * u")),
        ];
        Form {
            declared: lines("  character(12) :: fm"),
            body,
            ..Form::default()
        }
    }

    /// BACKSPACE, ENDFILE, and branches on the end and on errors.
    fn positions(&mut self) -> Form {
        let moved = self.chance.pick(&[
            "backspace(m)\nwrite(m, *) 70",
            "rewind(m)\nread(m, *) ic\nwrite(m, *) 71",
            "rewind(m)\nread(m, *) ic\nendfile(m)",
            "backspace(m)\nbackspace(m)\nread(m, *) v\nendfile(m)",
        ]);
        let body = vec![piece(&format!(
            "open(newunit=m, status='scratch')
do k = 1, 3 + modulo(n, 2)
  write(m, *) 10 * k + modulo(l, 3)
end do
if (modulo(n, 3) == 1) write(m, *) 'text'
{moved}
rewind(m)
ic = 0
do
  read(m, *, end=20, err=10) u
  ic = ic + 1
  v = v + u
end do
10 v = v + 1000
20 continue
close(m)
{}",
            sent_value("v + 5 * ic")
        ))];
        Form {
            body,
            ..Form::default()
        }
    }

    /// INQUIRE returns the effects of OPEN, CLOSE and WRITE.
    fn inquire(&mut self) -> Form {
        let asked = self.chance.pick(&[
            "inquire(32, opened=lo)\nif (lo) v = 20",
            "inquire(32, nextrec=v)",
            "inquire(32, number=v)",
            "inquire(32, recl=v)",
            "inquire(iolength=v) a, n",
            "inquire(32, form=tx)\nv = len_trim(tx)",
        ]);
        let closed =
            self.chance
                .pick(&["", "if (modulo(n, 2) == 0) close(32)", "write(32, rec=3) 5"]);
        let body = vec![piece(&format!(
            "open(32, status='scratch', access='direct', recl=8 + 4 * modulo(n, 3))
write(32, rec=1 + modulo(n, 4)) 6
{closed}
{asked}
close(32)
{}",
            sent_value("v")
        ))];
        Form {
            body,
            ..Form::default()
        }
    }
}
