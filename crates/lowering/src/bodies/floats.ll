; ModuleID = 'floats.c'
source_filename = "floats.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: nounwind
define weak dso_local i64 @fencewright_float_add(i64 noundef %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = and i64 %0, 9223372036854775807
  %4 = icmp ult i64 %3, 9218868437227405313
  br i1 %4, label %7, label %5

5:                                                ; preds = %2
  %6 = or i64 %0, 2251799813685248
  br label %113

7:                                                ; preds = %2
  %8 = and i64 %1, 9223372036854775807
  %9 = icmp ult i64 %8, 9218868437227405313
  br i1 %9, label %12, label %10

10:                                               ; preds = %7
  %11 = or i64 %1, 2251799813685248
  br label %113

12:                                               ; preds = %7
  %13 = icmp eq i64 %3, 9218868437227405312
  br i1 %13, label %14, label %19

14:                                               ; preds = %12
  %15 = icmp ne i64 %8, 9218868437227405312
  %16 = icmp eq i64 %0, %1
  %17 = or i1 %16, %15
  %18 = select i1 %17, i64 %0, i64 -2251799813685248
  br label %113

19:                                               ; preds = %12
  %20 = icmp eq i64 %8, 9218868437227405312
  br i1 %20, label %113, label %21

21:                                               ; preds = %19
  %22 = icmp ult i64 %3, %8
  %23 = select i1 %22, i64 %0, i64 %1
  %24 = select i1 %22, i64 %1, i64 %0
  %25 = lshr i64 %24, 52
  %26 = trunc i64 %25 to i32
  %27 = and i32 %26, 2047
  %28 = icmp eq i32 %27, 0
  %29 = add nsw i32 %27, -1023
  %30 = select i1 %28, i32 -1022, i32 %29
  %31 = lshr i64 %23, 52
  %32 = trunc i64 %31 to i32
  %33 = and i32 %32, 2047
  %34 = icmp eq i32 %33, 0
  %35 = add nsw i32 %33, -1023
  %36 = select i1 %34, i32 -1022, i32 %35
  %37 = sub nsw i32 %30, %36
  %38 = and i64 %24, 9218868437227405312
  %39 = icmp eq i64 %38, 0
  %40 = shl i64 %24, 9
  %41 = and i64 %40, 2305843009213693440
  %42 = or i64 %41, 2305843009213693952
  %43 = select i1 %39, i64 %41, i64 %42
  %44 = and i64 %23, 9218868437227405312
  %45 = icmp eq i64 %44, 0
  %46 = shl i64 %23, 9
  %47 = and i64 %46, 2305843009213693440
  %48 = or i64 %47, 2305843009213693952
  %49 = select i1 %45, i64 %47, i64 %48
  %50 = icmp slt i32 %37, 62
  %51 = select i1 %50, i32 %37, i32 62
  %52 = zext i32 %51 to i64
  %53 = lshr i64 %49, %52
  %54 = shl nsw i64 -1, %52
  %55 = xor i64 %54, -1
  %56 = and i64 %49, %55
  %57 = icmp ne i64 %56, 0
  %58 = zext i1 %57 to i64
  %59 = or i64 %53, %58
  %60 = xor i64 %24, %23
  %61 = icmp slt i64 %60, 0
  %62 = sub i64 0, %59
  %63 = select i1 %61, i64 %62, i64 %59
  %64 = add i64 %63, %43
  %65 = icmp eq i64 %64, 0
  %66 = and i64 %24, -9223372036854775808
  br i1 %65, label %67, label %69

67:                                               ; preds = %21
  %68 = and i64 %66, %23
  br label %113

69:                                               ; preds = %21
  %70 = call i64 @llvm.ctlz.i64(i64 %64, i1 true) #3, !range !4
  %71 = trunc i64 %70 to i32
  %72 = add nuw nsw i64 %70, 4294967295
  %73 = and i64 %72, 4294967295
  %74 = shl i64 %64, %73
  %75 = sub nsw i32 %30, %71
  %76 = icmp sgt i32 %75, 1021
  br i1 %76, label %77, label %79

77:                                               ; preds = %69
  %78 = or i64 %66, 9218868437227405312
  br label %113

79:                                               ; preds = %69
  %80 = add nsw i32 %75, 1025
  %81 = icmp slt i32 %75, -1024
  br i1 %81, label %82, label %94

82:                                               ; preds = %79
  %83 = sub nsw i32 -1024, %75
  %84 = icmp slt i32 %83, 62
  %85 = select i1 %84, i32 %83, i32 62
  %86 = zext i32 %85 to i64
  %87 = lshr i64 %74, %86
  %88 = shl nsw i64 -1, %86
  %89 = xor i64 %88, -1
  %90 = and i64 %74, %89
  %91 = icmp ne i64 %90, 0
  %92 = zext i1 %91 to i64
  %93 = or i64 %87, %92
  br label %94

94:                                               ; preds = %82, %79
  %95 = phi i64 [ %93, %82 ], [ %74, %79 ]
  %96 = phi i32 [ 0, %82 ], [ %80, %79 ]
  %97 = and i64 %95, 1023
  %98 = lshr i64 %95, 10
  %99 = icmp ugt i64 %97, 512
  %100 = zext i1 %99 to i64
  %101 = icmp eq i64 %97, 512
  %102 = zext i1 %101 to i64
  %103 = and i64 %98, %102
  %104 = or i64 %103, %100
  %105 = add nuw nsw i64 %104, %98
  %106 = icmp sgt i32 %96, 0
  %107 = add nsw i32 %96, 4095
  %108 = zext i32 %107 to i64
  %109 = shl i64 %108, 52
  %110 = select i1 %106, i64 %109, i64 0
  %111 = add i64 %105, %110
  %112 = or i64 %111, %66
  br label %113

113:                                              ; preds = %94, %77, %14, %19, %67, %10, %5
  %114 = phi i64 [ %6, %5 ], [ %11, %10 ], [ %18, %14 ], [ %1, %19 ], [ %68, %67 ], [ %78, %77 ], [ %112, %94 ]
  ret i64 %114
}

; Function Attrs: nounwind
define weak dso_local i64 @fencewright_float_sub(i64 noundef %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = and i64 %0, 9223372036854775807
  %4 = icmp ult i64 %3, 9218868437227405313
  br i1 %4, label %7, label %5

5:                                                ; preds = %2
  %6 = or i64 %0, 2251799813685248
  br label %15

7:                                                ; preds = %2
  %8 = and i64 %1, 9223372036854775807
  %9 = icmp ult i64 %8, 9218868437227405313
  br i1 %9, label %12, label %10

10:                                               ; preds = %7
  %11 = or i64 %1, 2251799813685248
  br label %15

12:                                               ; preds = %7
  %13 = xor i64 %1, -9223372036854775808
  %14 = call i64 @fencewright_float_add(i64 noundef %0, i64 noundef %13) #4
  br label %15

15:                                               ; preds = %12, %10, %5
  %16 = phi i64 [ %6, %5 ], [ %11, %10 ], [ %14, %12 ]
  ret i64 %16
}

; Function Attrs: nounwind
define weak dso_local i64 @fencewright_float_mul(i64 noundef %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = and i64 %0, 9223372036854775807
  %4 = icmp ult i64 %3, 9218868437227405313
  br i1 %4, label %7, label %5

5:                                                ; preds = %2
  %6 = or i64 %0, 2251799813685248
  br label %130

7:                                                ; preds = %2
  %8 = and i64 %1, 9223372036854775807
  %9 = icmp ult i64 %8, 9218868437227405313
  br i1 %9, label %12, label %10

10:                                               ; preds = %7
  %11 = or i64 %1, 2251799813685248
  br label %130

12:                                               ; preds = %7
  %13 = xor i64 %1, %0
  %14 = and i64 %13, -9223372036854775808
  %15 = icmp eq i64 %3, 9218868437227405312
  %16 = icmp eq i64 %8, 9218868437227405312
  %17 = or i1 %15, %16
  %18 = icmp eq i64 %3, 0
  %19 = icmp eq i64 %8, 0
  %20 = or i1 %18, %19
  br i1 %17, label %21, label %24

21:                                               ; preds = %12
  %22 = or i64 %14, 9218868437227405312
  %23 = select i1 %20, i64 -2251799813685248, i64 %22
  br label %130

24:                                               ; preds = %12
  br i1 %20, label %130, label %25

25:                                               ; preds = %24
  %26 = lshr i64 %0, 52
  %27 = trunc i64 %26 to i32
  %28 = and i32 %27, 2047
  %29 = lshr i64 %1, 52
  %30 = trunc i64 %29 to i32
  %31 = and i32 %30, 2047
  %32 = and i64 %0, 4503599627370495
  %33 = and i64 %0, 9218868437227405312
  %34 = icmp eq i64 %33, 0
  %35 = or i64 %32, 4503599627370496
  %36 = select i1 %34, i64 %32, i64 %35
  %37 = and i64 %1, 4503599627370495
  %38 = and i64 %1, 9218868437227405312
  %39 = icmp eq i64 %38, 0
  %40 = or i64 %37, 4503599627370496
  %41 = select i1 %39, i64 %37, i64 %40
  %42 = call i64 @llvm.ctlz.i64(i64 %36, i1 true), !range !4
  %43 = add nuw nsw i64 %42, 4294967285
  %44 = and i64 %43, 4294967295
  %45 = shl i64 %36, %44
  %46 = call i64 @llvm.ctlz.i64(i64 %41, i1 true), !range !4
  %47 = add nuw nsw i64 %46, 4294967285
  %48 = and i64 %47, 4294967295
  %49 = shl i64 %41, %48
  %50 = and i64 %45, 4294967295
  %51 = and i64 %49, 4294967295
  %52 = mul nuw i64 %51, %50
  %53 = lshr i64 %45, 32
  %54 = mul nuw i64 %51, %53
  %55 = lshr i64 %49, 32
  %56 = mul nuw i64 %55, %50
  %57 = add i64 %54, %56
  %58 = lshr i64 %52, 32
  %59 = add i64 %57, %58
  %60 = mul nuw i64 %55, %53
  %61 = lshr i64 %59, 32
  %62 = add i64 %61, %60
  %63 = shl i64 %59, 32
  %64 = and i64 %52, 4294967295
  %65 = call i64 @llvm.fshl.i64(i64 %62, i64 %63, i64 20)
  %66 = and i64 %63, 17587891077120
  %67 = or i64 %66, %64
  %68 = icmp ne i64 %67, 0
  %69 = zext i1 %68 to i64
  %70 = or i64 %65, %69
  %71 = icmp eq i64 %70, 0
  br i1 %71, label %130, label %72

72:                                               ; preds = %25
  %73 = trunc i64 %46 to i32
  %74 = trunc i64 %42 to i32
  %75 = icmp eq i32 %28, 0
  %76 = icmp eq i32 %31, 0
  %77 = add nsw i32 %31, -1023
  %78 = select i1 %76, i32 -1022, i32 %77
  %79 = call i64 @llvm.ctlz.i64(i64 %70, i1 true) #3, !range !4
  %80 = trunc i64 %79 to i32
  %81 = add nuw nsw i64 %79, 4294967295
  %82 = and i64 %81, 4294967295
  %83 = shl i64 %70, %82
  %84 = sub nsw i32 11, %74
  %85 = sub nsw i32 11, %73
  %86 = sub nsw i32 1, %80
  %87 = add nsw i32 %28, -1021
  %88 = select i1 %75, i32 -1020, i32 %87
  %89 = add nsw i32 %88, %78
  %90 = add nsw i32 %89, %84
  %91 = add nsw i32 %90, %85
  %92 = add nsw i32 %91, %86
  %93 = icmp sgt i32 %92, 1023
  br i1 %93, label %94, label %96

94:                                               ; preds = %72
  %95 = or i64 %14, 9218868437227405312
  br label %130

96:                                               ; preds = %72
  %97 = add nsw i32 %92, 1023
  %98 = icmp slt i32 %92, -1022
  br i1 %98, label %99, label %111

99:                                               ; preds = %96
  %100 = sub nsw i32 -1022, %92
  %101 = icmp slt i32 %100, 62
  %102 = select i1 %101, i32 %100, i32 62
  %103 = zext i32 %102 to i64
  %104 = lshr i64 %83, %103
  %105 = shl nsw i64 -1, %103
  %106 = xor i64 %105, -1
  %107 = and i64 %83, %106
  %108 = icmp ne i64 %107, 0
  %109 = zext i1 %108 to i64
  %110 = or i64 %104, %109
  br label %111

111:                                              ; preds = %99, %96
  %112 = phi i64 [ %110, %99 ], [ %83, %96 ]
  %113 = phi i32 [ 0, %99 ], [ %97, %96 ]
  %114 = and i64 %112, 1023
  %115 = lshr i64 %112, 10
  %116 = icmp ugt i64 %114, 512
  %117 = zext i1 %116 to i64
  %118 = icmp eq i64 %114, 512
  %119 = zext i1 %118 to i64
  %120 = and i64 %115, %119
  %121 = or i64 %120, %117
  %122 = add nuw nsw i64 %121, %115
  %123 = icmp sgt i32 %113, 0
  %124 = add i32 %113, 4095
  %125 = zext i32 %124 to i64
  %126 = shl i64 %125, 52
  %127 = select i1 %123, i64 %126, i64 0
  %128 = add i64 %122, %127
  %129 = or i64 %128, %14
  br label %130

130:                                              ; preds = %111, %94, %25, %21, %24, %10, %5
  %131 = phi i64 [ %6, %5 ], [ %11, %10 ], [ %23, %21 ], [ %14, %24 ], [ %14, %25 ], [ %95, %94 ], [ %129, %111 ]
  ret i64 %131
}

; Function Attrs: mustprogress nofree nosync nounwind readnone speculatable willreturn
declare i64 @llvm.ctlz.i64(i64, i1 immarg) #1

; Function Attrs: nounwind
define weak dso_local i64 @fencewright_float_div(i64 noundef %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = and i64 %0, 9223372036854775807
  %4 = icmp ult i64 %3, 9218868437227405313
  br i1 %4, label %7, label %5

5:                                                ; preds = %2
  %6 = or i64 %0, 2251799813685248
  br label %127

7:                                                ; preds = %2
  %8 = and i64 %1, 9223372036854775807
  %9 = icmp ult i64 %8, 9218868437227405313
  br i1 %9, label %12, label %10

10:                                               ; preds = %7
  %11 = or i64 %1, 2251799813685248
  br label %127

12:                                               ; preds = %7
  %13 = xor i64 %1, %0
  %14 = and i64 %13, -9223372036854775808
  %15 = icmp eq i64 %3, 9218868437227405312
  br i1 %15, label %16, label %20

16:                                               ; preds = %12
  %17 = icmp eq i64 %8, 9218868437227405312
  %18 = or i64 %14, 9218868437227405312
  %19 = select i1 %17, i64 -2251799813685248, i64 %18
  br label %127

20:                                               ; preds = %12
  switch i64 %8, label %25 [
    i64 9218868437227405312, label %127
    i64 0, label %21
  ]

21:                                               ; preds = %20
  %22 = icmp eq i64 %3, 0
  %23 = or i64 %14, 9218868437227405312
  %24 = select i1 %22, i64 -2251799813685248, i64 %23
  br label %127

25:                                               ; preds = %20
  %26 = icmp eq i64 %3, 0
  br i1 %26, label %127, label %27

27:                                               ; preds = %25
  %28 = lshr i64 %0, 52
  %29 = trunc i64 %28 to i32
  %30 = and i32 %29, 2047
  %31 = lshr i64 %1, 52
  %32 = trunc i64 %31 to i32
  %33 = and i32 %32, 2047
  %34 = sub nsw i32 1023, %33
  %35 = and i64 %0, 4503599627370495
  %36 = and i64 %0, 9218868437227405312
  %37 = icmp eq i64 %36, 0
  %38 = or i64 %35, 4503599627370496
  %39 = select i1 %37, i64 %35, i64 %38
  %40 = and i64 %1, 4503599627370495
  %41 = and i64 %1, 9218868437227405312
  %42 = icmp eq i64 %41, 0
  %43 = or i64 %40, 4503599627370496
  %44 = select i1 %42, i64 %40, i64 %43
  %45 = call i64 @llvm.ctlz.i64(i64 %39, i1 true), !range !4
  %46 = add nuw nsw i64 %45, 4294967285
  %47 = and i64 %46, 4294967295
  %48 = shl i64 %39, %47
  %49 = call i64 @llvm.ctlz.i64(i64 %44, i1 true), !range !4
  %50 = trunc i64 %49 to i32
  %51 = add nsw i32 %50, -11
  %52 = zext i32 %51 to i64
  %53 = shl i64 %44, %52
  %54 = udiv i64 %48, %53
  %55 = urem i64 %48, %53
  br label %116

56:                                               ; preds = %116
  %57 = icmp ne i64 %125, 0
  %58 = zext i1 %57 to i64
  %59 = or i64 %123, %58
  %60 = icmp eq i64 %59, 0
  br i1 %60, label %127, label %61

61:                                               ; preds = %56
  %62 = trunc i64 %45 to i32
  %63 = sub nsw i32 11, %62
  %64 = icmp eq i32 %33, 0
  %65 = select i1 %64, i32 1022, i32 %34
  %66 = icmp eq i32 %30, 0
  %67 = call i64 @llvm.ctlz.i64(i64 %59, i1 true) #3, !range !4
  %68 = trunc i64 %67 to i32
  %69 = add nuw nsw i64 %67, 4294967295
  %70 = and i64 %69, 4294967295
  %71 = shl i64 %59, %70
  %72 = sub nsw i32 1, %68
  %73 = add nsw i32 %30, -1021
  %74 = select i1 %66, i32 -1020, i32 %73
  %75 = add nsw i32 %74, %63
  %76 = add nsw i32 %75, %65
  %77 = add nsw i32 %76, %51
  %78 = add nsw i32 %77, %72
  %79 = icmp sgt i32 %78, 1023
  br i1 %79, label %80, label %82

80:                                               ; preds = %61
  %81 = or i64 %14, 9218868437227405312
  br label %127

82:                                               ; preds = %61
  %83 = add nsw i32 %78, 1023
  %84 = icmp slt i32 %78, -1022
  br i1 %84, label %85, label %97

85:                                               ; preds = %82
  %86 = sub i32 -1022, %78
  %87 = icmp slt i32 %86, 62
  %88 = select i1 %87, i32 %86, i32 62
  %89 = zext i32 %88 to i64
  %90 = lshr i64 %71, %89
  %91 = shl nsw i64 -1, %89
  %92 = xor i64 %91, -1
  %93 = and i64 %71, %92
  %94 = icmp ne i64 %93, 0
  %95 = zext i1 %94 to i64
  %96 = or i64 %90, %95
  br label %97

97:                                               ; preds = %85, %82
  %98 = phi i64 [ %96, %85 ], [ %71, %82 ]
  %99 = phi i32 [ 0, %85 ], [ %83, %82 ]
  %100 = and i64 %98, 1023
  %101 = lshr i64 %98, 10
  %102 = icmp ugt i64 %100, 512
  %103 = zext i1 %102 to i64
  %104 = icmp eq i64 %100, 512
  %105 = zext i1 %104 to i64
  %106 = and i64 %101, %105
  %107 = or i64 %106, %103
  %108 = add nuw nsw i64 %107, %101
  %109 = icmp sgt i32 %99, 0
  %110 = add i32 %99, 4095
  %111 = zext i32 %110 to i64
  %112 = shl i64 %111, 52
  %113 = select i1 %109, i64 %112, i64 0
  %114 = add i64 %108, %113
  %115 = or i64 %114, %14
  br label %127

116:                                              ; preds = %27, %116
  %117 = phi i64 [ %55, %27 ], [ %125, %116 ]
  %118 = phi i32 [ 0, %27 ], [ %124, %116 ]
  %119 = phi i64 [ %54, %27 ], [ %123, %116 ]
  %120 = shl i64 %117, 10
  %121 = shl i64 %119, 10
  %122 = udiv i64 %120, %53
  %123 = or i64 %122, %121
  %124 = add nuw nsw i32 %118, 1
  %125 = urem i64 %120, %53
  %126 = icmp eq i32 %124, 6
  br i1 %126, label %56, label %116, !llvm.loop !5

127:                                              ; preds = %97, %80, %56, %16, %21, %20, %25, %10, %5
  %128 = phi i64 [ %6, %5 ], [ %11, %10 ], [ %19, %16 ], [ %24, %21 ], [ %14, %20 ], [ %14, %25 ], [ %14, %56 ], [ %81, %80 ], [ %115, %97 ]
  ret i64 %128
}

; Function Attrs: nounwind
define weak dso_local i32 @fencewright_float_is(i64 noundef %0, i64 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = and i64 %0, 9223372036854775807
  %5 = icmp ult i64 %4, 9218868437227405313
  br i1 %5, label %6, label %25

6:                                                ; preds = %3
  %7 = and i64 %1, 9223372036854775807
  %8 = icmp ult i64 %7, 9218868437227405313
  br i1 %8, label %9, label %25

9:                                                ; preds = %6
  %10 = or i64 %1, %0
  %11 = and i64 %10, 9223372036854775807
  %12 = icmp eq i64 %11, 0
  br i1 %12, label %25, label %13

13:                                               ; preds = %9
  %14 = sub nsw i64 0, %4
  %15 = icmp slt i64 %0, 0
  %16 = select i1 %15, i64 %14, i64 %0
  %17 = sub nsw i64 0, %7
  %18 = icmp slt i64 %1, 0
  %19 = select i1 %18, i64 %17, i64 %1
  %20 = icmp sgt i64 %16, %19
  %21 = icmp slt i64 %16, %19
  %22 = sext i1 %21 to i32
  %23 = select i1 %20, i32 2, i32 1
  %24 = add nsw i32 %23, %22
  br label %25

25:                                               ; preds = %3, %6, %9, %13
  %26 = phi i32 [ %24, %13 ], [ 3, %6 ], [ 3, %3 ], [ 1, %9 ]
  %27 = lshr i32 %2, %26
  %28 = and i32 %27, 1
  ret i32 %28
}

; Function Attrs: nounwind
define weak dso_local i64 @fencewright_float_muladd(i64 noundef %0, i64 noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = call i64 @fencewright_float_mul(i64 noundef %0, i64 noundef %1) #4
  %5 = call i64 @fencewright_float_add(i64 noundef %4, i64 noundef %2) #4
  ret i64 %5
}

; Function Attrs: nounwind
define weak dso_local i64 @fencewright_float_minnum(i64 noundef %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = and i64 %0, 9223372036854775807
  %4 = icmp ult i64 %3, 9218868437227405313
  br i1 %4, label %5, label %26

5:                                                ; preds = %2
  %6 = and i64 %1, 9223372036854775807
  %7 = icmp ult i64 %6, 9218868437227405313
  br i1 %7, label %8, label %26

8:                                                ; preds = %5
  %9 = or i64 %1, %0
  %10 = and i64 %9, 9223372036854775807
  %11 = icmp eq i64 %10, 0
  br i1 %11, label %26, label %12

12:                                               ; preds = %8
  %13 = sub nsw i64 0, %6
  %14 = icmp slt i64 %1, 0
  %15 = select i1 %14, i64 %13, i64 %1
  %16 = sub nsw i64 0, %3
  %17 = icmp slt i64 %0, 0
  %18 = select i1 %17, i64 %16, i64 %0
  %19 = icmp sgt i64 %15, %18
  %20 = zext i1 %19 to i32
  %21 = icmp slt i64 %15, %18
  %22 = sext i1 %21 to i32
  %23 = add nsw i32 %22, %20
  %24 = icmp eq i32 %23, -1
  %25 = select i1 %24, i64 %1, i64 %0
  br label %26

26:                                               ; preds = %12, %8, %5, %2
  %27 = phi i64 [ %1, %2 ], [ %25, %12 ], [ %0, %5 ], [ %0, %8 ]
  ret i64 %27
}

; Function Attrs: nounwind
define weak dso_local i64 @fencewright_float_maxnum(i64 noundef %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = and i64 %0, 9223372036854775807
  %4 = icmp ult i64 %3, 9218868437227405313
  br i1 %4, label %5, label %26

5:                                                ; preds = %2
  %6 = and i64 %1, 9223372036854775807
  %7 = icmp ult i64 %6, 9218868437227405313
  br i1 %7, label %8, label %26

8:                                                ; preds = %5
  %9 = or i64 %1, %0
  %10 = and i64 %9, 9223372036854775807
  %11 = icmp eq i64 %10, 0
  br i1 %11, label %26, label %12

12:                                               ; preds = %8
  %13 = sub nsw i64 0, %6
  %14 = icmp slt i64 %1, 0
  %15 = select i1 %14, i64 %13, i64 %1
  %16 = sub nsw i64 0, %3
  %17 = icmp slt i64 %0, 0
  %18 = select i1 %17, i64 %16, i64 %0
  %19 = icmp sgt i64 %15, %18
  %20 = zext i1 %19 to i32
  %21 = icmp slt i64 %15, %18
  %22 = sext i1 %21 to i32
  %23 = add nsw i32 %22, %20
  %24 = icmp eq i32 %23, 1
  %25 = select i1 %24, i64 %1, i64 %0
  br label %26

26:                                               ; preds = %12, %8, %5, %2
  %27 = phi i64 [ %1, %2 ], [ %25, %12 ], [ %0, %5 ], [ %0, %8 ]
  ret i64 %27
}

; Function Attrs: nounwind
define weak dso_local i64 @fencewright_float_of_unsigned(i64 noundef %0) local_unnamed_addr #0 {
  %2 = icmp sgt i64 %0, -1
  br i1 %2, label %25, label %3

3:                                                ; preds = %1
  %4 = lshr i64 %0, 1
  %5 = and i64 %0, 1
  %6 = or i64 %4, %5
  %7 = icmp eq i64 %6, 0
  br i1 %7, label %44, label %8

8:                                                ; preds = %3
  %9 = call i64 @llvm.ctlz.i64(i64 %6, i1 true) #3, !range !4
  %10 = add nuw nsw i64 %9, 4294967295
  %11 = and i64 %10, 4294967295
  %12 = shl i64 %6, %11
  %13 = and i64 %12, 1023
  %14 = lshr i64 %12, 10
  %15 = icmp ugt i64 %13, 512
  %16 = zext i1 %15 to i64
  %17 = icmp eq i64 %13, 512
  %18 = zext i1 %17 to i64
  %19 = and i64 %14, %18
  %20 = or i64 %19, %16
  %21 = mul nsw i64 %9, -4503599627370496
  %22 = add i64 %21, 4890909195324358656
  %23 = add i64 %22, %14
  %24 = add i64 %23, %20
  br label %44

25:                                               ; preds = %1
  %26 = icmp eq i64 %0, 0
  br i1 %26, label %44, label %27

27:                                               ; preds = %25
  %28 = call i64 @llvm.ctlz.i64(i64 %0, i1 true) #3, !range !4
  %29 = add nuw nsw i64 %28, 4294967295
  %30 = and i64 %29, 4294967295
  %31 = shl i64 %0, %30
  %32 = and i64 %31, 1023
  %33 = lshr i64 %31, 10
  %34 = icmp ugt i64 %32, 512
  %35 = zext i1 %34 to i64
  %36 = icmp eq i64 %32, 512
  %37 = zext i1 %36 to i64
  %38 = and i64 %33, %37
  %39 = or i64 %38, %35
  %40 = mul nsw i64 %28, -4503599627370496
  %41 = add i64 %40, 4886405595696988160
  %42 = add i64 %41, %33
  %43 = add i64 %42, %39
  br label %44

44:                                               ; preds = %3, %8, %25, %27
  %45 = phi i64 [ 0, %3 ], [ %24, %8 ], [ 0, %25 ], [ %43, %27 ]
  ret i64 %45
}

; Function Attrs: nounwind
define weak dso_local i64 @fencewright_float_of_signed(i64 noundef %0) local_unnamed_addr #0 {
  %2 = and i64 %0, -9223372036854775808
  %3 = icmp eq i64 %2, 0
  %4 = sub i64 0, %0
  %5 = select i1 %3, i64 %0, i64 %4
  %6 = icmp sgt i64 %5, -1
  br i1 %6, label %30, label %7

7:                                                ; preds = %1
  %8 = lshr i64 %5, 1
  %9 = and i64 %5, 1
  %10 = or i64 %8, %9
  %11 = icmp eq i64 %10, 0
  br i1 %11, label %50, label %12

12:                                               ; preds = %7
  %13 = call i64 @llvm.ctlz.i64(i64 %10, i1 true) #3, !range !4
  %14 = add nuw nsw i64 %13, 4294967295
  %15 = and i64 %14, 4294967295
  %16 = shl i64 %10, %15
  %17 = and i64 %16, 1023
  %18 = lshr i64 %16, 10
  %19 = icmp ugt i64 %17, 512
  %20 = zext i1 %19 to i64
  %21 = icmp eq i64 %17, 512
  %22 = zext i1 %21 to i64
  %23 = and i64 %18, %22
  %24 = or i64 %23, %20
  %25 = mul nsw i64 %13, -4503599627370496
  %26 = add i64 %25, 4890909195324358656
  %27 = add i64 %26, %18
  %28 = add i64 %27, %24
  %29 = or i64 %28, %2
  br label %50

30:                                               ; preds = %1
  %31 = icmp eq i64 %5, 0
  br i1 %31, label %50, label %32

32:                                               ; preds = %30
  %33 = call i64 @llvm.ctlz.i64(i64 %5, i1 true) #3, !range !4
  %34 = add nuw nsw i64 %33, 4294967295
  %35 = and i64 %34, 4294967295
  %36 = shl i64 %5, %35
  %37 = and i64 %36, 1023
  %38 = lshr i64 %36, 10
  %39 = icmp ugt i64 %37, 512
  %40 = zext i1 %39 to i64
  %41 = icmp eq i64 %37, 512
  %42 = zext i1 %41 to i64
  %43 = and i64 %38, %42
  %44 = or i64 %43, %40
  %45 = mul nsw i64 %33, -4503599627370496
  %46 = add i64 %45, 4886405595696988160
  %47 = add i64 %46, %38
  %48 = add i64 %47, %44
  %49 = or i64 %48, %2
  br label %50

50:                                               ; preds = %7, %12, %30, %32
  %51 = phi i64 [ %2, %7 ], [ %29, %12 ], [ %2, %30 ], [ %49, %32 ]
  ret i64 %51
}

; Function Attrs: nounwind
define weak dso_local i64 @fencewright_float_to_signed(i64 noundef %0, i64 noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = and i64 %0, 9223372036854775807
  %5 = icmp ult i64 %4, 9218868437227405313
  br i1 %5, label %6, label %40

6:                                                ; preds = %3
  %7 = lshr i64 %0, 52
  %8 = trunc i64 %7 to i32
  %9 = and i32 %8, 2047
  %10 = icmp eq i32 %9, 0
  %11 = add nsw i32 %9, -1023
  %12 = select i1 %10, i32 -1022, i32 %11
  %13 = icmp slt i32 %12, 0
  br i1 %13, label %40, label %14

14:                                               ; preds = %6
  %15 = icmp sgt i32 %12, 62
  br i1 %15, label %16, label %19

16:                                               ; preds = %14
  %17 = icmp slt i64 %0, 0
  %18 = select i1 %17, i64 %1, i64 %2
  br label %40

19:                                               ; preds = %14
  %20 = and i64 %0, 4503599627370495
  %21 = and i64 %0, 9218868437227405312
  %22 = icmp eq i64 %21, 0
  %23 = or i64 %20, 4503599627370496
  %24 = select i1 %22, i64 %20, i64 %23
  %25 = icmp slt i32 %12, 53
  %26 = sub nsw i32 52, %12
  %27 = zext i32 %26 to i64
  %28 = lshr i64 %24, %27
  %29 = add nsw i32 %12, -52
  %30 = zext i32 %29 to i64
  %31 = shl i64 %24, %30
  %32 = select i1 %25, i64 %28, i64 %31
  %33 = sub nsw i64 0, %32
  %34 = icmp slt i64 %0, 0
  %35 = select i1 %34, i64 %33, i64 %32
  %36 = icmp slt i64 %35, %1
  %37 = icmp sgt i64 %35, %2
  %38 = select i1 %37, i64 %2, i64 %35
  %39 = select i1 %36, i64 %1, i64 %38
  br label %40

40:                                               ; preds = %16, %19, %6, %3
  %41 = phi i64 [ 0, %3 ], [ %18, %16 ], [ %39, %19 ], [ 0, %6 ]
  ret i64 %41
}

; Function Attrs: nounwind
define weak dso_local i64 @fencewright_float_to_unsigned(i64 noundef %0, i64 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = and i64 %0, 9223372036854775807
  %5 = icmp ult i64 %4, 9218868437227405313
  %6 = icmp sgt i64 %0, -1
  %7 = and i1 %6, %5
  br i1 %7, label %8, label %39

8:                                                ; preds = %3
  %9 = lshr i64 %0, 52
  %10 = trunc i64 %9 to i32
  %11 = and i32 %10, 2047
  %12 = icmp eq i32 %11, 0
  %13 = add nsw i32 %11, -1023
  %14 = select i1 %12, i32 -1022, i32 %13
  %15 = icmp slt i32 %14, 0
  br i1 %15, label %39, label %16

16:                                               ; preds = %8
  %17 = and i64 %0, 4503599627370495
  %18 = and i64 %0, 9218868437227405312
  %19 = icmp eq i64 %18, 0
  %20 = or i64 %17, 4503599627370496
  %21 = select i1 %19, i64 %17, i64 %20
  %22 = icmp slt i32 %14, 64
  br i1 %22, label %23, label %32

23:                                               ; preds = %16
  %24 = icmp slt i32 %14, 53
  %25 = sub nsw i32 52, %14
  %26 = zext i32 %25 to i64
  %27 = lshr i64 %21, %26
  %28 = add nsw i32 %14, -52
  %29 = zext i32 %28 to i64
  %30 = shl i64 %21, %29
  %31 = select i1 %24, i64 %27, i64 %30
  br label %32

32:                                               ; preds = %23, %16
  %33 = phi i64 [ %31, %23 ], [ %1, %16 ]
  %34 = icmp ugt i64 %33, %1
  %35 = select i1 %34, i64 %1, i64 %33
  %36 = zext i32 %2 to i64
  %37 = shl i64 %35, %36
  %38 = ashr i64 %37, %36
  br label %39

39:                                               ; preds = %32, %8, %3
  %40 = phi i64 [ 0, %3 ], [ %38, %32 ], [ 0, %8 ]
  ret i64 %40
}

; Function Attrs: nounwind
define weak dso_local i64 @fencewright_float_widen(i32 noundef %0) local_unnamed_addr #0 {
  %2 = and i32 %0, -2147483648
  %3 = zext i32 %2 to i64
  %4 = shl nuw i64 %3, 32
  %5 = and i32 %0, 2147483647
  %6 = icmp ugt i32 %5, 2139095040
  br i1 %6, label %7, label %12

7:                                                ; preds = %1
  %8 = zext i32 %0 to i64
  %9 = shl nuw nsw i64 %8, 29
  %10 = or i64 %4, %9
  %11 = or i64 %10, 9221120237041090560
  br label %71

12:                                               ; preds = %1
  %13 = icmp eq i32 %5, 2139095040
  br i1 %13, label %14, label %16

14:                                               ; preds = %12
  %15 = or i64 %4, 9218868437227405312
  br label %71

16:                                               ; preds = %12
  %17 = and i32 %0, 8388607
  %18 = zext i32 %17 to i64
  %19 = icmp ult i32 %5, 8388608
  %20 = shl nuw nsw i64 %18, 39
  %21 = or i64 %20, 4611686018427387904
  %22 = select i1 %19, i64 %20, i64 %21
  %23 = icmp eq i64 %22, 0
  br i1 %23, label %71, label %24

24:                                               ; preds = %16
  %25 = lshr i32 %5, 23
  %26 = add nsw i32 %25, -127
  %27 = select i1 %19, i32 -126, i32 %26
  %28 = call i64 @llvm.ctlz.i64(i64 %22, i1 true) #3, !range !4
  %29 = trunc i64 %28 to i32
  %30 = add nsw i32 %29, -1
  %31 = zext i32 %30 to i64
  %32 = shl i64 %22, %31
  %33 = sub nsw i32 %27, %30
  %34 = icmp sgt i32 %33, 1023
  br i1 %34, label %35, label %37

35:                                               ; preds = %24
  %36 = or i64 %4, 9218868437227405312
  br label %71

37:                                               ; preds = %24
  %38 = add nsw i32 %33, 1023
  %39 = icmp slt i32 %33, -1022
  br i1 %39, label %40, label %52

40:                                               ; preds = %37
  %41 = sub nsw i32 -1022, %33
  %42 = icmp slt i32 %41, 62
  %43 = select i1 %42, i32 %41, i32 62
  %44 = zext i32 %43 to i64
  %45 = lshr i64 %32, %44
  %46 = shl nsw i64 -1, %44
  %47 = xor i64 %46, -1
  %48 = and i64 %32, %47
  %49 = icmp ne i64 %48, 0
  %50 = zext i1 %49 to i64
  %51 = or i64 %45, %50
  br label %52

52:                                               ; preds = %40, %37
  %53 = phi i64 [ %51, %40 ], [ %32, %37 ]
  %54 = phi i32 [ 0, %40 ], [ %38, %37 ]
  %55 = and i64 %53, 1023
  %56 = lshr i64 %53, 10
  %57 = icmp ugt i64 %55, 512
  %58 = zext i1 %57 to i64
  %59 = icmp eq i64 %55, 512
  %60 = zext i1 %59 to i64
  %61 = and i64 %56, %60
  %62 = or i64 %61, %58
  %63 = add nuw nsw i64 %62, %56
  %64 = icmp sgt i32 %54, 0
  %65 = add nsw i32 %54, 4095
  %66 = zext i32 %65 to i64
  %67 = shl i64 %66, 52
  %68 = select i1 %64, i64 %67, i64 0
  %69 = add i64 %63, %68
  %70 = or i64 %69, %4
  br label %71

71:                                               ; preds = %52, %35, %16, %14, %7
  %72 = phi i64 [ %11, %7 ], [ %15, %14 ], [ %4, %16 ], [ %36, %35 ], [ %70, %52 ]
  ret i64 %72
}

; Function Attrs: nounwind
define weak dso_local i32 @fencewright_float_narrow(i64 noundef %0) local_unnamed_addr #0 {
  %2 = lshr i64 %0, 32
  %3 = trunc i64 %2 to i32
  %4 = and i32 %3, -2147483648
  %5 = and i64 %0, 9223372036854775807
  %6 = icmp ult i64 %5, 9218868437227405313
  br i1 %6, label %13, label %7

7:                                                ; preds = %1
  %8 = lshr i64 %0, 29
  %9 = trunc i64 %8 to i32
  %10 = and i32 %9, 4194303
  %11 = or i32 %10, %4
  %12 = or i32 %11, 2143289344
  br label %75

13:                                               ; preds = %1
  %14 = icmp eq i64 %5, 9218868437227405312
  br i1 %14, label %15, label %17

15:                                               ; preds = %13
  %16 = or i32 %4, 2139095040
  br label %75

17:                                               ; preds = %13
  %18 = lshr i64 %0, 52
  %19 = trunc i64 %18 to i32
  %20 = and i32 %19, 2047
  %21 = and i64 %0, 9218868437227405312
  %22 = icmp eq i64 %21, 0
  %23 = shl i64 %0, 10
  %24 = and i64 %23, 4611686018427386880
  %25 = or i64 %24, 4611686018427387904
  %26 = select i1 %22, i64 %24, i64 %25
  %27 = icmp eq i64 %26, 0
  br i1 %27, label %75, label %28

28:                                               ; preds = %17
  %29 = icmp eq i32 %20, 0
  %30 = add nsw i32 %20, -1023
  %31 = select i1 %29, i32 -1022, i32 %30
  %32 = call i64 @llvm.ctlz.i64(i64 %26, i1 true) #3, !range !4
  %33 = trunc i64 %32 to i32
  %34 = add nsw i32 %33, -1
  %35 = zext i32 %34 to i64
  %36 = shl i64 %26, %35
  %37 = sub nsw i32 %31, %34
  %38 = icmp sgt i32 %37, 127
  br i1 %38, label %39, label %41

39:                                               ; preds = %28
  %40 = or i32 %4, 2139095040
  br label %75

41:                                               ; preds = %28
  %42 = add nsw i32 %37, 127
  %43 = icmp slt i32 %37, -126
  br i1 %43, label %44, label %56

44:                                               ; preds = %41
  %45 = sub nsw i32 -126, %37
  %46 = icmp slt i32 %45, 62
  %47 = select i1 %46, i32 %45, i32 62
  %48 = zext i32 %47 to i64
  %49 = lshr i64 %36, %48
  %50 = shl nsw i64 -1, %48
  %51 = xor i64 %50, -1
  %52 = and i64 %36, %51
  %53 = icmp ne i64 %52, 0
  %54 = zext i1 %53 to i64
  %55 = or i64 %49, %54
  br label %56

56:                                               ; preds = %44, %41
  %57 = phi i64 [ %55, %44 ], [ %36, %41 ]
  %58 = phi i32 [ 0, %44 ], [ %42, %41 ]
  %59 = and i64 %57, 549755813887
  %60 = lshr i64 %57, 39
  %61 = icmp ugt i64 %59, 274877906944
  %62 = zext i1 %61 to i64
  %63 = icmp eq i64 %59, 274877906944
  %64 = zext i1 %63 to i64
  %65 = and i64 %60, %64
  %66 = or i64 %65, %62
  %67 = add nuw nsw i64 %66, %60
  %68 = icmp sgt i32 %58, 0
  %69 = shl i32 %58, 23
  %70 = add i32 %69, -8388608
  %71 = select i1 %68, i32 %70, i32 0
  %72 = trunc i64 %67 to i32
  %73 = add i32 %71, %72
  %74 = or i32 %73, %4
  br label %75

75:                                               ; preds = %56, %39, %17, %15, %7
  %76 = phi i32 [ %12, %7 ], [ %16, %15 ], [ %4, %17 ], [ %40, %39 ], [ %74, %56 ]
  ret i32 %76
}

; Function Attrs: nounwind
define weak dso_local i32 @fencewright_float_of_unsigned_narrow(i64 noundef %0) local_unnamed_addr #0 {
  %2 = icmp sgt i64 %0, -1
  br i1 %2, label %27, label %3

3:                                                ; preds = %1
  %4 = lshr i64 %0, 1
  %5 = and i64 %0, 1
  %6 = or i64 %4, %5
  %7 = icmp eq i64 %6, 0
  br i1 %7, label %48, label %8

8:                                                ; preds = %3
  %9 = call i64 @llvm.ctlz.i64(i64 %6, i1 true) #3, !range !4
  %10 = trunc i64 %9 to i32
  %11 = add nuw nsw i64 %9, 4294967295
  %12 = and i64 %11, 4294967295
  %13 = shl i64 %6, %12
  %14 = and i64 %13, 549755813887
  %15 = lshr i64 %13, 39
  %16 = icmp ugt i64 %14, 274877906944
  %17 = zext i1 %16 to i64
  %18 = icmp eq i64 %14, 274877906944
  %19 = zext i1 %18 to i64
  %20 = and i64 %15, %19
  %21 = or i64 %20, %17
  %22 = add nuw nsw i64 %21, %15
  %23 = mul nsw i32 %10, -8388608
  %24 = add i32 %23, 1593835520
  %25 = trunc i64 %22 to i32
  %26 = add i32 %24, %25
  br label %48

27:                                               ; preds = %1
  %28 = icmp eq i64 %0, 0
  br i1 %28, label %48, label %29

29:                                               ; preds = %27
  %30 = call i64 @llvm.ctlz.i64(i64 %0, i1 true) #3, !range !4
  %31 = trunc i64 %30 to i32
  %32 = add nuw nsw i64 %30, 4294967295
  %33 = and i64 %32, 4294967295
  %34 = shl i64 %0, %33
  %35 = and i64 %34, 549755813887
  %36 = lshr i64 %34, 39
  %37 = icmp ugt i64 %35, 274877906944
  %38 = zext i1 %37 to i64
  %39 = icmp eq i64 %35, 274877906944
  %40 = zext i1 %39 to i64
  %41 = and i64 %36, %40
  %42 = or i64 %41, %38
  %43 = add nuw nsw i64 %42, %36
  %44 = mul nsw i32 %31, -8388608
  %45 = add i32 %44, 1585446912
  %46 = trunc i64 %43 to i32
  %47 = add i32 %45, %46
  br label %48

48:                                               ; preds = %3, %8, %27, %29
  %49 = phi i32 [ 0, %3 ], [ %26, %8 ], [ 0, %27 ], [ %47, %29 ]
  ret i32 %49
}

; Function Attrs: nounwind
define weak dso_local i32 @fencewright_float_of_signed_narrow(i64 noundef %0) local_unnamed_addr #0 {
  %2 = lshr i64 %0, 32
  %3 = trunc i64 %2 to i32
  %4 = and i32 %3, -2147483648
  %5 = call i64 @llvm.abs.i64(i64 %0, i1 false)
  %6 = icmp sgt i64 %5, -1
  br i1 %6, label %32, label %7

7:                                                ; preds = %1
  %8 = lshr i64 %5, 1
  %9 = and i64 %5, 1
  %10 = or i64 %8, %9
  %11 = icmp eq i64 %10, 0
  br i1 %11, label %54, label %12

12:                                               ; preds = %7
  %13 = call i64 @llvm.ctlz.i64(i64 %10, i1 true) #3, !range !4
  %14 = trunc i64 %13 to i32
  %15 = add nuw nsw i64 %13, 4294967295
  %16 = and i64 %15, 4294967295
  %17 = shl i64 %10, %16
  %18 = and i64 %17, 549755813887
  %19 = lshr i64 %17, 39
  %20 = icmp ugt i64 %18, 274877906944
  %21 = zext i1 %20 to i64
  %22 = icmp eq i64 %18, 274877906944
  %23 = zext i1 %22 to i64
  %24 = and i64 %19, %23
  %25 = or i64 %24, %21
  %26 = add nuw nsw i64 %25, %19
  %27 = mul nsw i32 %14, -8388608
  %28 = add i32 %27, 1593835520
  %29 = trunc i64 %26 to i32
  %30 = add i32 %28, %29
  %31 = or i32 %30, %4
  br label %54

32:                                               ; preds = %1
  %33 = icmp eq i64 %0, 0
  br i1 %33, label %54, label %34

34:                                               ; preds = %32
  %35 = call i64 @llvm.ctlz.i64(i64 %5, i1 true) #3, !range !4
  %36 = trunc i64 %35 to i32
  %37 = add nuw nsw i64 %35, 4294967295
  %38 = and i64 %37, 4294967295
  %39 = shl i64 %5, %38
  %40 = and i64 %39, 549755813887
  %41 = lshr i64 %39, 39
  %42 = icmp ugt i64 %40, 274877906944
  %43 = zext i1 %42 to i64
  %44 = icmp eq i64 %40, 274877906944
  %45 = zext i1 %44 to i64
  %46 = and i64 %41, %45
  %47 = or i64 %46, %43
  %48 = add nuw nsw i64 %47, %41
  %49 = mul nsw i32 %36, -8388608
  %50 = add i32 %49, 1585446912
  %51 = trunc i64 %48 to i32
  %52 = add i32 %50, %51
  %53 = or i32 %52, %4
  br label %54

54:                                               ; preds = %7, %12, %32, %34
  %55 = phi i32 [ %4, %7 ], [ %31, %12 ], [ %4, %32 ], [ %53, %34 ]
  ret i32 %55
}

; Function Attrs: nounwind
define weak dso_local i32 @fencewright_float_add_narrow(i32 noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = call i64 @fencewright_float_widen(i32 noundef %0) #4
  %4 = call i64 @fencewright_float_widen(i32 noundef %1) #4
  %5 = call i64 @fencewright_float_add(i64 noundef %3, i64 noundef %4) #4
  %6 = call i32 @fencewright_float_narrow(i64 noundef %5) #4
  ret i32 %6
}

; Function Attrs: nounwind
define weak dso_local i32 @fencewright_float_sub_narrow(i32 noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = call i64 @fencewright_float_widen(i32 noundef %0) #4
  %4 = call i64 @fencewright_float_widen(i32 noundef %1) #4
  %5 = call i64 @fencewright_float_sub(i64 noundef %3, i64 noundef %4) #4
  %6 = call i32 @fencewright_float_narrow(i64 noundef %5) #4
  ret i32 %6
}

; Function Attrs: nounwind
define weak dso_local i32 @fencewright_float_mul_narrow(i32 noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = call i64 @fencewright_float_widen(i32 noundef %0) #4
  %4 = call i64 @fencewright_float_widen(i32 noundef %1) #4
  %5 = call i64 @fencewright_float_mul(i64 noundef %3, i64 noundef %4) #4
  %6 = call i32 @fencewright_float_narrow(i64 noundef %5) #4
  ret i32 %6
}

; Function Attrs: nounwind
define weak dso_local i32 @fencewright_float_div_narrow(i32 noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = call i64 @fencewright_float_widen(i32 noundef %0) #4
  %4 = call i64 @fencewright_float_widen(i32 noundef %1) #4
  %5 = call i64 @fencewright_float_div(i64 noundef %3, i64 noundef %4) #4
  %6 = call i32 @fencewright_float_narrow(i64 noundef %5) #4
  ret i32 %6
}

; Function Attrs: nounwind
define weak dso_local i32 @fencewright_float_muladd_narrow(i32 noundef %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = call i32 @fencewright_float_mul_narrow(i32 noundef %0, i32 noundef %1) #4
  %5 = call i32 @fencewright_float_add_narrow(i32 noundef %4, i32 noundef %2) #4
  ret i32 %5
}

; Function Attrs: nounwind
define weak dso_local i32 @fencewright_float_minnum_narrow(i32 noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = call i64 @fencewright_float_widen(i32 noundef %0) #4
  %4 = call i64 @fencewright_float_widen(i32 noundef %1) #4
  %5 = call i64 @fencewright_float_minnum(i64 noundef %3, i64 noundef %4) #4
  %6 = call i32 @fencewright_float_narrow(i64 noundef %5) #4
  ret i32 %6
}

; Function Attrs: nounwind
define weak dso_local i32 @fencewright_float_maxnum_narrow(i32 noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = call i64 @fencewright_float_widen(i32 noundef %0) #4
  %4 = call i64 @fencewright_float_widen(i32 noundef %1) #4
  %5 = call i64 @fencewright_float_maxnum(i64 noundef %3, i64 noundef %4) #4
  %6 = call i32 @fencewright_float_narrow(i64 noundef %5) #4
  ret i32 %6
}

; Function Attrs: nounwind
define weak dso_local i32 @fencewright_float_is_narrow(i32 noundef %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = call i64 @fencewright_float_widen(i32 noundef %0) #4
  %5 = call i64 @fencewright_float_widen(i32 noundef %1) #4
  %6 = call i32 @fencewright_float_is(i64 noundef %4, i64 noundef %5, i32 noundef %2) #4
  ret i32 %6
}

; Function Attrs: nounwind
define weak dso_local i64 @fencewright_float_to_signed_narrow(i32 noundef %0, i64 noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = call i64 @fencewright_float_widen(i32 noundef %0) #4
  %5 = call i64 @fencewright_float_to_signed(i64 noundef %4, i64 noundef %1, i64 noundef %2) #4
  ret i64 %5
}

; Function Attrs: nounwind
define weak dso_local i64 @fencewright_float_to_unsigned_narrow(i32 noundef %0, i64 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = call i64 @fencewright_float_widen(i32 noundef %0) #4
  %5 = call i64 @fencewright_float_to_unsigned(i64 noundef %4, i64 noundef %1, i32 noundef %2) #4
  ret i64 %5
}

; Function Attrs: nofree nosync nounwind readnone speculatable willreturn
declare i64 @llvm.fshl.i64(i64, i64, i64) #2

; Function Attrs: nofree nosync nounwind readnone speculatable willreturn
declare i64 @llvm.abs.i64(i64, i1 immarg) #2

attributes #0 = { nounwind "frame-pointer"="none" "min-legal-vector-width"="0" "no-builtins" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nofree nosync nounwind readnone speculatable willreturn }
attributes #2 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #3 = { nounwind }
attributes #4 = { nobuiltin "no-builtins" }

!llvm.module.flags = !{!0, !1, !2}
!llvm.ident = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{!"Debian clang version 14.0.6"}
!4 = !{i64 0, i64 65}
!5 = distinct !{!5, !6, !7}
!6 = !{!"llvm.loop.mustprogress"}
!7 = !{!"llvm.loop.unroll.disable"}
