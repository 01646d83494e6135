Dear colleague,
  this file has the name of a program ((but it is a letter: nothing in it = Fortran &
  and 3 of its sentences } end nowhere.
    do what you like with
  call me (
